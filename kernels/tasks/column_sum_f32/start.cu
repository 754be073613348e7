// Sums of 32 columns a block: eight rows at a time, their sums meet in shared memory.
extern "C" __global__ void column_sum_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float part[8][32];
  const int c = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += 8) sum += x[r * cols + c];
  part[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int i = 1; i < 8; ++i) sum += part[i][threadIdx.x];
    y[c] = sum;
  }
}
