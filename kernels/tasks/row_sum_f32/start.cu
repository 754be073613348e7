// Sum of one row a block: strided loads, shuffles, one shared word a warp.
extern "C" __global__ void row_sum_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float part[8];
  const float* row = x + blockIdx.x * cols;
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += 256) sum += row[i];
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) sum += part[i];
    y[blockIdx.x] = sum;
  }
}
