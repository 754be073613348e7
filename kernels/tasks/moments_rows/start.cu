// Mean and variance of one row a block, in two passes over the row.
__device__ float block_sum(float v, float* part) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 8; ++i) v += part[i];
  return v;
}

extern "C" __global__ void moments_rows(const float* __restrict__ x, float* __restrict__ mean,
                                        float* __restrict__ variance, int rows, int cols) {
  __shared__ float part[8];
  const float* row = x + blockIdx.x * cols;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < cols; i += 256) sum += row[i];
  const float middle = block_sum(sum, part) / cols;
  for (int i = threadIdx.x; i < cols; i += 256) squares += (row[i] - middle) * (row[i] - middle);
  squares = block_sum(squares, part);
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = middle;
    variance[blockIdx.x] = squares / cols;
  }
}
