// Sparse matrix times vector: LANES threads a row, UNROLL elements under way.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    spmv_csr(const int* __restrict__ start, const int* __restrict__ column, const float* __restrict__ value,
             const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const bool inside = row < rows;
  const int begin = inside ? start[row] : 0, end = inside ? start[row + 1] : 0;
  float sum[UNROLL] = {};
  int i = begin + lane;
  for (; i + (UNROLL - 1) * LANES < end; i += UNROLL * LANES)
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum[u] += __ldcs(value + i + u * LANES) * x[__ldcs(column + i + u * LANES)];
  for (; i < end; i += LANES) sum[0] += __ldcs(value + i) * x[__ldcs(column + i)];
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
  const float total = of_lanes<LANES>(sum[0], Plus());
  if (inside && lane == 0) y[row] = total;
}
