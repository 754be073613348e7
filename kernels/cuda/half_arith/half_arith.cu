// Packed half precision: fused multiply-add, comparison, minimum, approximate functions.
#include <cuda_fp16.h>

extern "C" __global__ void half_arith(const half2* __restrict__ a, const half2* __restrict__ b,
                                      half2* __restrict__ out, half threshold, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  half2 v = __hfma2(a[i], b[i], __half2half2(threshold));
  if (__hbgt2(v, __half2half2(threshold))) v = __hmul2(v, h2rsqrt(__habs2(v)));
  out[i] = __hadd2(v, h2exp2(__hneg2(__habs2(a[i]))));
}
