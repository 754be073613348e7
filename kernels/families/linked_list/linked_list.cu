// Walkers that follow the pointers of one long random list, and sum what they find: latency and nothing else.
//   CHAINS walkers a thread, one step each in turn; they start side by side (ORDER 0) or a grid's width
//   apart (1); UNROLL steps; HINT: 0 loads as they come, 1 past L1, 2 through the read-only path; LIMIT: bytes of
//   shared memory that keep blocks away from a multiprocessor.
constexpr int kUnroll = UNROLL;

__device__ __forceinline__ unsigned load(const unsigned* p) {
#if HINT == 1
  return __ldcg(p);
#elif HINT == 2
  return __ldg(p);
#else
  return *reinterpret_cast<const volatile unsigned*>(p);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
linked_list(const unsigned* next, const unsigned* payload, unsigned* __restrict__ sums, int walkers, int nodes,
            int steps) {
  const int thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
  unsigned at[CHAINS], sum[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) {
    const int walker = ORDER ? c * threads + thread : thread * CHAINS + c;
    // A step that has no common divisor with the number of nodes but by accident.
    at[c] = static_cast<unsigned>(walker) * 7919u % static_cast<unsigned>(nodes);
    sum[c] = 0;
  }
#pragma unroll kUnroll
  for (int s = 0; s < steps; ++s) {
#pragma unroll
    for (int c = 0; c < CHAINS; ++c) {
      sum[c] += load(payload + at[c]);
      at[c] = load(next + at[c]);
    }
  }
#pragma unroll
  for (int c = 0; c < CHAINS; ++c) {
    const int walker = ORDER ? c * threads + thread : thread * CHAINS + c;
    if (walker < walkers) sums[walker] = sum[c];
  }
}
