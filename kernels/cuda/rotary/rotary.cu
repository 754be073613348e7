// Rotary position embedding on half-precision pairs.
#include <cuda_fp16.h>

extern "C" __global__ void rotary(half2* __restrict__ x, const float* __restrict__ frequency, int tokens,
                                  int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * pairs) return;
  float s, c;
  __sincosf((i / pairs) * frequency[i % pairs], &s, &c);
  const float2 v = __half22float2(x[i]);
  x[i] = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}
