// Sum with the residual and RMS norm, one row a block; the sums are read back for the result.
#include <cuda_bf16.h>

extern "C" __global__ void rmsnorm_residual_bf16(const __nv_bfloat16* __restrict__ x,
                                                 const __nv_bfloat16* __restrict__ residual,
                                                 const __nv_bfloat16* __restrict__ gain,
                                                 __nv_bfloat16* __restrict__ sum, __nv_bfloat16* __restrict__ y,
                                                 int rows, int cols, float eps) {
  __shared__ float part[8];
  const int first = blockIdx.x * cols;
  float squares = 0;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const __nv_bfloat16 s = __float2bfloat16_rn(__bfloat162float(x[first + i]) + __bfloat162float(residual[first + i]));
    sum[first + i] = s;
    squares += __bfloat162float(s) * __bfloat162float(s);
  }
  for (int d = 16; d; d >>= 1) squares += __shfl_xor_sync(0xffffffffu, squares, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = squares;
  __syncthreads();
  squares = 0;
  for (int i = 0; i < 8; ++i) squares += part[i];
  const float scale = rsqrtf(squares / cols + eps);
  // Each thread reads what it has written itself.
  for (int i = threadIdx.x; i < cols; i += 256)
    y[first + i] = __float2bfloat16_rn(__bfloat162float(sum[first + i]) * scale * __bfloat162float(gain[i]));
}
