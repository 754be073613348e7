// Rotary embedding of one head of one token a block, a pair a thread.
#include <cuda_fp16.h>

extern "C" __global__ void rotary_f16(const __half* __restrict__ x, const float* __restrict__ cos,
                                      const float* __restrict__ sin, __half* __restrict__ y, int tokens, int heads,
                                      int half) {
  const int t = blockIdx.x, first = (t * heads + blockIdx.y) * 2 * half;
  for (int i = threadIdx.x; i < half; i += 64) {
    const float a = __half2float(x[first + i]), b = __half2float(x[first + half + i]);
    const float c = cos[t * half + i], s = sin[t * half + i];
    y[first + i] = __float2half_rn(a * c - b * s);
    y[first + half + i] = __float2half_rn(b * c + a * s);
  }
}
