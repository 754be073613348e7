// gelu(x + bias). A thread has ITEMS vectors of VEC halves under way; of rows that are no whole number of vectors,
// pairs.
#include <cuda_fp16.h>

#include "../tuned.cuh"

__device__ __forceinline__ __half gelu(__half x, __half bias) {
  const float t = __half2float(x) + __half2float(bias);
  return __float2half_rn(0.5f * t * (1.0f + tanhf(0.7978845608f * (t + 0.044715f * t * t * t))));
}

template <int N>
__device__ __forceinline__ void some(const __half* __restrict__ x, const __half* __restrict__ bias,
                                     __half* __restrict__ y, int rows, int cols) {
  constexpr int kItems = ITEMS * VEC / N;
  const int vectors = rows * (cols / N), first = blockIdx.x * BLOCK * kItems + threadIdx.x;
  Vector<__half, N> v[kItems], b[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors) {
      v[i] = load<N>(x + (first + i * BLOCK) * N);
      b[i] = load<N>(bias + (first + i * BLOCK) % (cols / N) * N);
    }
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors) {
#pragma unroll
      for (int j = 0; j < N; ++j) v[i].v[j] = gelu(v[i].v[j], b[i].v[j]);
      store(y + (first + i * BLOCK) * N, v[i]);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    bias_gelu_f16(const __half* __restrict__ x, const __half* __restrict__ bias, __half* __restrict__ y, int rows,
                  int cols) {
  if (cols % VEC == 0)
    some<VEC>(x, bias, y, rows, cols);
  else
    some<2>(x, bias, y, rows, cols);
}
