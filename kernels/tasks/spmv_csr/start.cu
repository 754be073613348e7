// Sparse matrix times vector, a row a warp.
extern "C" __global__ void spmv_csr(const int* __restrict__ start, const int* __restrict__ column,
                                    const float* __restrict__ value, const float* __restrict__ x, float* __restrict__ y,
                                    int rows) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}
