// Transpose through tiles of 32 x 32 in shared memory, whose rows are a word longer so that columns are free of
// conflicts.
extern "C" __global__ void transpose_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (r + j < rows && c < cols) tile[threadIdx.y + j][threadIdx.x] = x[(r + j) * cols + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  r = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (r + j < cols && c < rows) y[(r + j) * rows + c] = tile[threadIdx.x][threadIdx.y + j];
}
