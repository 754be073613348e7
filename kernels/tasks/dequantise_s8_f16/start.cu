// Weights of 8 bits times their scales, an element a thread.
#include <cuda_fp16.h>

extern "C" __global__ void dequantise_s8_f16(const signed char* __restrict__ q, const __half* __restrict__ scale,
                                             __half* __restrict__ w, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) w[i] = __float2half_rn(__half2float(scale[i / 32]) * q[i]);
}
