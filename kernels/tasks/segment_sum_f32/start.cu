// Sum of one segment a warp.
extern "C" __global__ void segment_sum_f32(const float* __restrict__ x, const int* __restrict__ start,
                                           float* __restrict__ y, int segments) {
  const int s = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (s >= segments) return;
  float sum = 0;
  for (int i = start[s] + lane; i < start[s + 1]; i += 32) sum += x[i];
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) y[s] = sum;
}
