// Batcher's bitonic network over segments of 1024 keys, ITEMS neighbouring keys a thread, SEGMENTS segments a block:
// distances within a thread's keys in registers, with SHUFFLE those within a warp by shuffles, others in shared memory,
// with PAD a word after each 32.
constexpr int kKeys = 1024, kThreads = kKeys / ITEMS, kSlots = PAD ? kKeys + kKeys / 32 : kKeys;
constexpr int kOwn = ITEMS / 2, kNear = SHUFFLE ? ITEMS * 16 : kOwn;

__device__ __forceinline__ int slot(int i) { return PAD ? i + i / 32 : i; }

// All exchanges at distances kNear and below of a merge of k keys.
__device__ __forceinline__ void near_steps(unsigned (&key)[ITEMS], int thread, int k) {
  if constexpr (SHUFFLE) {
#pragma unroll
    for (int d = kNear; d >= ITEMS; d /= 2) {
      if (d >= k) continue;
      const bool up = (thread * ITEMS & k) == 0, lower = (thread * ITEMS & d) == 0;
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        const unsigned other = __shfl_xor_sync(~0u, key[i], d / ITEMS);
        key[i] = up == lower ? min(key[i], other) : max(key[i], other);
      }
    }
  }
#pragma unroll
  for (int d = kOwn; d > 0; d /= 2) {
    if (d >= k) continue;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if ((i & d) == 0) {
        const bool up = ((thread * ITEMS + i) & k) == 0;
        const unsigned low = min(key[i], key[i + d]), high = max(key[i], key[i + d]);
        key[i] = up ? low : high;
        key[i + d] = up ? high : low;
      }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads* SEGMENTS)
    sort_segments_u32(const unsigned* __restrict__ x, unsigned* __restrict__ y, int segments) {
  __shared__ unsigned all[SEGMENTS * kSlots];
  const int thread = threadIdx.x % kThreads, mine = threadIdx.x / kThreads;
  const int segment = blockIdx.x * SEGMENTS + mine;
  const bool inside = segment < segments;
  unsigned* keys = all + mine * kSlots;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * kThreads + thread;
    keys[slot(at)] = inside ? x[1LL * segment * kKeys + at] : 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 2; k <= kKeys; k *= 2) {
#pragma unroll 1
    for (int d = k / 2; d > kNear; d /= 2) {
#pragma unroll
      for (int i = 0; i < ITEMS / 2; ++i) {
        const int pair = i * kThreads + thread, at = 2 * pair - (pair & (d - 1));
        const unsigned a = keys[slot(at)], b = keys[slot(at + d)];
        if ((a > b) == ((at & k) == 0)) keys[slot(at)] = b, keys[slot(at + d)] = a;
      }
      __syncthreads();
    }
    unsigned key[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) key[i] = keys[slot(thread * ITEMS + i)];
    near_steps(key, thread, k);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) keys[slot(thread * ITEMS + i)] = key[i];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * kThreads + thread;
    if (inside) y[1LL * segment * kKeys + at] = keys[slot(at)];
  }
}
