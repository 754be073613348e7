// Mean and variance of rows: THREADS threads a row, ROWS rows a block. Up to HELD vectors of a thread stay in registers
// between the two passes; longer rows are read again.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    moments_rows(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ variance, int rows,
                 int cols) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  float* part = parts[threadIdx.y];
  const int t = threadIdx.x, r = blockIdx.x * ROWS + threadIdx.y;
  const float* start = x + static_cast<long long>(min(r, rows - 1)) * cols;
  with_row<VEC, HELD, THREADS>(start, cols, t, [&](const auto& row) {
    float sum = 0, squares = 0;
    row.each([&](float v, int) { sum += v; });
    const float middle = of_threads<THREADS>(sum, t, part, Plus()) / cols;
    row.each([&](float v, int) { squares += (v - middle) * (v - middle); });
    squares = of_threads<THREADS>(squares, t, part, Plus());
    if (r < rows && t == 0) {
      mean[r] = middle;
      variance[r] = squares / cols;
    }
  });
}
