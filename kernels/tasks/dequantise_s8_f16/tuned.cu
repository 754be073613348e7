// Weights of 8 bits times their scales: a thread has ITEMS vectors of VEC weights, a block's width apart.
#include <cuda_fp16.h>

#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    dequantise_s8_f16(const signed char* __restrict__ q, const __half* __restrict__ scale, __half* __restrict__ w,
                      int n) {
  const int vectors = n / VEC, first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  Vector<signed char, VEC> v[ITEMS];
  float s[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < vectors) {
      v[i] = load<VEC>(q + (first + i * BLOCK) * VEC);
      s[i] = __half2float(scale[(first + i * BLOCK) / (32 / VEC)]);
    }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < vectors) {
      Vector<__half, VEC> out;
#pragma unroll
      for (int j = 0; j < VEC; ++j) out.v[j] = __float2half_rn(s[i] * v[i].v[j]);
      store(w + (first + i * BLOCK) * VEC, out);
    }
}
