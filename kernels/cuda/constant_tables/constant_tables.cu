// Module-scope data: constants with initialisers, a table of pointers, strings, managed memory.
__constant__ float weight[3][3] = {{0.0625f, 0.125f, 0.0625f}, {0.125f, 0.25f, 0.125f}, {0.0625f, 0.125f, 0.0625f}};
__device__ int first_table[4] = {1, 2, 3, 4}, second_table[4] = {-1, -2, -3, -4};
__device__ int* tables[2] = {first_table, second_table};
__device__ const char greeting[] = "nine bytes";
__managed__ int visits = 0;

extern "C" __global__ void constant_tables(const float* __restrict__ x, float* __restrict__ y, int width,
                                           int height, int which) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c < 1 || r < 1 || c >= width - 1 || r >= height - 1) return;
  float sum = tables[which & 1][c & 3] + greeting[c % 10];
#pragma unroll
  for (int dr = -1; dr <= 1; ++dr)
#pragma unroll
    for (int dc = -1; dc <= 1; ++dc) sum += weight[dr + 1][dc + 1] * x[(r + dr) * width + c + dc];
  y[r * width + c] = sum;
  if (c == 1 && r == 1) atomicAdd(&visits, 1);
}
