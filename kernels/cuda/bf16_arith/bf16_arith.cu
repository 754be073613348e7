// bfloat16: packed fused multiply-add with relu, conversions, maximum that keeps NaN.
#include <cuda_bf16.h>

extern "C" __global__ void bf16_arith(const __nv_bfloat162* __restrict__ a,
                                      const __nv_bfloat162* __restrict__ b, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_bfloat162 v = __hfma2_relu(a[i], b[i], __hmax2_nan(a[i], b[i]));
  const float2 f = __bfloat1622float2(v);
  out[i] = f.x * f.y + __bfloat162float(__hadd(a[i].x, b[i].y));
}
