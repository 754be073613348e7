// Dot products of pairs of vectors: LANES threads each, VEC halves a load.
#include <cuda_fp16.h>

#include "../tuned.cuh"

constexpr int kUnroll = UNROLL;

template <int N>
__device__ __forceinline__ float dot(const __half* a, const __half* b, int n) {
  float sum = 0;
#pragma unroll kUnroll
  for (int i = threadIdx.x * N; i < n; i += LANES * N) {
    const auto x = load<N>(a + i), y = load<N>(b + i);
#pragma unroll
    for (int j = 0; j < N; ++j) sum += __half2float(x.v[j]) * __half2float(y.v[j]);
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    dot_pairs_f16(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ out, int pairs,
                  int n) {
  const int p = blockIdx.x * (BLOCK / LANES) + threadIdx.y;
  const long long at = static_cast<long long>(min(p, pairs - 1)) * n;
  float sum = n % VEC == 0 ? dot<VEC>(a + at, b + at, n) : dot<1>(a + at, b + at, n);
  sum = of_lanes<LANES>(sum, Plus());
  if (p < pairs && threadIdx.x == 0) out[p] = sum;
}
