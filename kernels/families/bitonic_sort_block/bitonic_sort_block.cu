// Sorts each segment of 2048 keys by Batcher's bitonic network; ITEMS neighbouring keys a thread,
// SEGMENTS segments a block.
//   SHUFFLE: exchanges between lanes of a warp by shuffles (1) or in shared memory (0); REGISTERS:
//   exchanges between a thread's own keys in registers (1) or in shared memory; PAD: a word of padding after
//   each 32; UNROLL of the loop over distances that go through shared memory.
constexpr int kKeys = 2048, kThreads = kKeys / ITEMS, kUnroll = UNROLL;

__device__ __forceinline__ int slot(int i) { return PAD ? i + i / 32 : i; }
constexpr int kSlots = PAD ? kKeys + kKeys / 32 : kKeys;

__shared__ unsigned shared_keys[SEGMENTS * kSlots];

__device__ __forceinline__ void order(unsigned& a, unsigned& b, bool up) {
  const unsigned low = min(a, b), high = max(a, b);
  a = up ? low : high;
  b = up ? high : low;
}

// Largest distance that needs no shared memory.
constexpr int kOwn = REGISTERS ? ITEMS / 2 : 0;
constexpr int kNear = REGISTERS && SHUFFLE ? ITEMS * 16 : kOwn;

// All exchanges at distances kNear and below of a merge of `k` keys.
__device__ __forceinline__ void near_steps(unsigned (&key)[ITEMS], int thread, int k) {
#if SHUFFLE
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
#endif
#pragma unroll
  for (int d = kOwn; d > 0; d /= 2) {
    if (d >= k) continue;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if ((i & d) == 0) order(key[i], key[i + d], ((thread * ITEMS + i) & k) == 0);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads* SEGMENTS)
bitonic_sort_block(const unsigned* __restrict__ in, unsigned* __restrict__ out, int segments) {
  const int thread = threadIdx.x % kThreads, mine = threadIdx.x / kThreads;
  const int segment = blockIdx.x * SEGMENTS + mine;
  unsigned* keys = shared_keys + mine * kSlots;
  const bool inside = segment < segments;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * kThreads + thread;
    keys[slot(at)] = inside ? in[size_t{1} * segment * kKeys + at] : 0;
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 2; k <= kKeys; k *= 2) {
#pragma unroll kUnroll
    for (int d = k / 2; d > kNear; d /= 2) {
#pragma unroll
      for (int i = 0; i < ITEMS / 2; ++i) {
        const int pair = i * kThreads + thread, at = 2 * pair - (pair & (d - 1));
        const unsigned a = keys[slot(at)], b = keys[slot(at + d)];
        if ((a > b) == ((at & k) == 0)) keys[slot(at)] = b, keys[slot(at + d)] = a;
      }
      __syncthreads();
    }
#if REGISTERS
    unsigned key[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) key[i] = keys[slot(thread * ITEMS + i)];
    near_steps(key, thread, k);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) keys[slot(thread * ITEMS + i)] = key[i];
    __syncthreads();
#endif
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = i * kThreads + thread;
    if (inside) out[size_t{1} * segment * kKeys + at] = keys[slot(at)];
  }
}
