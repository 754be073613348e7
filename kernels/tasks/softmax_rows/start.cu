// Softmax of one row a block, in three passes over the row.
#include <cmath>

__device__ float block_reduce(float v, bool maximum, float* part) {
  for (int d = 16; d; d >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, v, d);
    v = maximum ? fmaxf(v, other) : v + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 8; ++i) v = maximum ? fmaxf(v, part[i]) : v + part[i];
  return v;
}

extern "C" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float part[8];
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < cols; i += 256) top = fmaxf(top, row[i]);
  top = block_reduce(top, true, part);
  for (int i = threadIdx.x; i < cols; i += 256) sum += expf(row[i] - top);
  sum = block_reduce(sum, false, part);
  for (int i = threadIdx.x; i < cols; i += 256) y[blockIdx.x * cols + i] = expf(row[i] - top) / sum;
}
