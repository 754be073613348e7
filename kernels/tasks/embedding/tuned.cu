// Sum of a token's and a position's embedding: TX threads a token, TY tokens a block, VEC halves a load.
#include <cuda_fp16.h>

#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void sums(const __half* a, const __half* b, __half* y, int width) {
#pragma unroll 2
  for (int c = threadIdx.x * N; c < width; c += TX * N) {
    auto v = load<N>(a + c);
    const auto w = load<N>(b + c);
#pragma unroll
    for (int j = 0; j < N; ++j) v.v[j] = __float2half_rn(__half2float(v.v[j]) + __half2float(w.v[j]));
    store(y + c, v);
  }
}

extern "C" __global__ void __launch_bounds__(TX* TY)
    embedding(const int* __restrict__ token, const __half* __restrict__ table, const __half* __restrict__ position,
              __half* __restrict__ y, int tokens, int width, int context) {
  const int t = blockIdx.x * TY + threadIdx.y;
  if (t >= tokens) return;
  const __half* a = table + static_cast<long long>(token[t]) * width;
  const __half* b = position + t % context * width;
  y += static_cast<long long>(t) * width;
  if (width % VEC == 0)
    sums<VEC>(a, b, y, width);
  else
    sums<1>(a, b, y, width);
}
