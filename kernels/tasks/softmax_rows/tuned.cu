// Softmax of rows: THREADS threads a row, ROWS rows a block. Up to HELD vectors of a thread stay in registers between
// the passes; longer rows are read again.
#include <cmath>

#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  float* part = parts[threadIdx.y];
  const int t = threadIdx.x, r = blockIdx.x * ROWS + threadIdx.y;
  const long long at = static_cast<long long>(min(r, rows - 1)) * cols;
  with_row<VEC, HELD, THREADS>(x + at, cols, t, [&](const auto& row) {
    float top = -INFINITY, sum = 0;
    row.each([&](float v, int) { top = fmaxf(top, v); });
    top = of_threads<THREADS>(top, t, part, Most());
    row.each([&](float v, int) { sum += expf(v - top); });
    const float share = 1.0f / of_threads<THREADS>(sum, t, part, Plus());
    if (r < rows)
      row.write(y + at, [&](auto v, int) {
#pragma unroll
        for (auto& e : v.v) e = expf(e - top) * share;
        return v;
      });
  });
}
