// Layer norm of one row a block: mean, variance, result, each a pass over the row.
#include <cuda_fp16.h>

__device__ float block_sum(float v, float* part) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 8; ++i) v += part[i];
  return v;
}

extern "C" __global__ void layernorm_f16(const __half* __restrict__ x, const __half* __restrict__ gain,
                                         const __half* __restrict__ bias, __half* __restrict__ y, int rows, int cols,
                                         float eps) {
  __shared__ float part[8];
  const __half* row = x + blockIdx.x * cols;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < cols; i += 256) sum += __half2float(row[i]);
  const float mean = block_sum(sum, part) / cols;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float d = __half2float(row[i]) - mean;
    squares += d * d;
  }
  const float scale = rsqrtf(block_sum(squares, part) / cols + eps);
  for (int i = threadIdx.x; i < cols; i += 256)
    y[blockIdx.x * cols + i] =
        __float2half_rn((__half2float(row[i]) - mean) * scale * __half2float(gain[i]) + __half2float(bias[i]));
}
