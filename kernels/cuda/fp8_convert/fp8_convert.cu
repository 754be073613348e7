// Round trip through both fp8 formats.
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void fp8_convert(const float2* __restrict__ x, __nv_fp8x2_storage_t* __restrict__ q,
                                       float2* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __nv_fp8x2_storage_t a = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E4M3);
  const __nv_fp8x2_storage_t b = __nv_cvt_float2_to_fp8x2(x[i], __NV_SATFINITE, __NV_E5M2);
  q[i] = a;
  const float2 fa = __half22float2(__nv_cvt_fp8x2_to_halfraw2(a, __NV_E4M3));
  const float2 fb = __half22float2(__nv_cvt_fp8x2_to_halfraw2(b, __NV_E5M2));
  y[i] = make_float2(fa.x - fb.x, fa.y - fb.y);
}
