// gelu(x + bias) in the approximation by tanh, two halves a thread.
#include <cuda_fp16.h>

__device__ float gelu(float t) { return 0.5f * t * (1.0f + tanhf(0.7978845608f * (t + 0.044715f * t * t * t))); }

extern "C" __global__ void bias_gelu_f16(const half2* __restrict__ x, const half2* __restrict__ bias,
                                         half2* __restrict__ y, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, pairs = cols / 2;
  if (i >= rows * pairs) return;
  const float2 v = __half22float2(x[i]), b = __half22float2(bias[i % pairs]);
  y[i] = __floats2half2_rn(gelu(v.x + b.x), gelu(v.y + b.y));
}
