// silu(gate) * value, an element a thread; a block is within one row.
#include <cuda_bf16.h>

extern "C" __global__ void swiglu_bf16(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int rows,
                                       int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c >= cols) return;
  const float gate = __bfloat162float(x[2 * r * cols + c]), value = __bfloat162float(x[(2 * r + 1) * cols + c]);
  y[r * cols + c] = __float2bfloat16_rn(gate / (1.0f + expf(-gate)) * value);
}
