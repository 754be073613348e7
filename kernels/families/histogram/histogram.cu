// Counts of byte values: counters in global memory, or private copies of them in shared memory that
// are merged at the end.
//   BLOCK threads, PER_SM blocks a multiprocessor; COPIES of the counters a block (0: none, global
//   atomics), each STRIDE words long; VEC bytes a load; AGGREGATE: lanes of a warp with equal values add once.
constexpr int kBins = 256;

#if COPIES > 0
__shared__ unsigned counters[COPIES * STRIDE];
#endif

__device__ __forceinline__ void count(unsigned* bins, unsigned value) {
#if COPIES > 0
  // Neighbouring lanes use different copies, so that equal values meet less often.
  unsigned* at = &counters[threadIdx.x % COPIES * STRIDE + value];
#else
  unsigned* at = &bins[value];
#endif
#if AGGREGATE
  const unsigned active = __activemask();
  const unsigned same = __match_any_sync(active, value + threadIdx.x % (COPIES > 0 ? COPIES : 1) * kBins);
  const unsigned lane = threadIdx.x % 32;
  if (lane == __ffs(same) - 1) atomicAdd(at, __popc(same));
#else
  atomicAdd(at, 1u);
#endif
}

__device__ __forceinline__ void count_word(unsigned* bins, unsigned word) {
#pragma unroll
  for (int b = 0; b < 4; ++b) count(bins, word >> (8 * b) & 255);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
histogram(const unsigned char* __restrict__ x, unsigned* bins, int n) {
#if COPIES > 0
  for (int i = threadIdx.x; i < COPIES * STRIDE; i += BLOCK) counters[i] = 0;
  __syncthreads();
#endif
  const int thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
  const int words = n / VEC;
  for (int i = thread; i < words; i += threads) {
#if VEC == 1
    count(bins, x[i]);
#elif VEC == 4
    count_word(bins, reinterpret_cast<const unsigned*>(x)[i]);
#else
    const uint4 v = reinterpret_cast<const uint4*>(x)[i];
    count_word(bins, v.x);
    count_word(bins, v.y);
    count_word(bins, v.z);
    count_word(bins, v.w);
#endif
  }
  for (int i = words * VEC + thread; i < n; i += threads) count(bins, x[i]);
#if COPIES > 0
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += BLOCK) {
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) sum += counters[c * STRIDE + b];
    if (sum != 0) atomicAdd(&bins[b], sum);
  }
#endif
}
