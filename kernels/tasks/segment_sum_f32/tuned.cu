// Sums of segments: LANES threads each, UNROLL loads under way.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    segment_sum_f32(const float* __restrict__ x, const int* __restrict__ start, float* __restrict__ y, int segments) {
  const int s = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const bool inside = s < segments;
  const int begin = inside ? start[s] : 0, end = inside ? start[s + 1] : 0;
  float sum[UNROLL] = {};
  int i = begin + lane;
  for (; i + (UNROLL - 1) * LANES < end; i += UNROLL * LANES)
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) sum[u] += x[i + u * LANES];
  for (; i < end; i += LANES) sum[0] += x[i];
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
  const float total = of_lanes<LANES>(sum[0], Plus());
  if (inside && lane == 0) y[s] = total;
}
