// Logarithm of the softmax of one row a block. Up to HELD vectors of a thread stay in registers between the passes.
#include <cmath>

#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
    log_softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float part[THREADS / 32];
  const int t = threadIdx.x;
  const long long at = static_cast<long long>(blockIdx.x) * cols;
  with_row<VEC, HELD, THREADS>(x + at, cols, t, [&](const auto& row) {
    float top = -INFINITY, sum = 0;
    row.each([&](float v, int) { top = fmaxf(top, v); });
    top = of_threads<THREADS>(top, t, part, Most());
    row.each([&](float v, int) { sum += expf(v - top); });
    const float log_sum = logf(of_threads<THREADS>(sum, t, part, Plus()));
    row.write(y + at, [&](auto v, int) {
#pragma unroll
      for (auto& e : v.v) e = e - top - log_sum;
      return v;
    });
  });
}
