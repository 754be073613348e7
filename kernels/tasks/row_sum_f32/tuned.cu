// Sums of rows: THREADS threads a row, ROWS rows a block, VEC elements a load.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    row_sum_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float part[ROWS][(THREADS + 31) / 32];
  const int t = threadIdx.x, r = blockIdx.x * ROWS + threadIdx.y;
  const float* row = x + static_cast<long long>(min(r, rows - 1)) * cols;
  float sum = 0;
  auto add = [&](float v, int) { sum += v; };
  if (cols % VEC == 0)
    each_of_row<VEC, UNROLL>(row, cols, t, THREADS, add);
  else
    each_of_row<1, UNROLL>(row, cols, t, THREADS, add);
  sum = of_threads<THREADS>(sum, t, part[threadIdx.y], Plus());
  if (r < rows && t == 0) y[r] = sum;
}
