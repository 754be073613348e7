// Causal softmax of one row of scores a block; what is masked is not read.
#include <cmath>

__device__ float block_reduce(float v, bool maximum, float* part) {
  for (int d = 16; d; d >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, v, d);
    v = maximum ? fmaxf(v, other) : v + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 4; ++i) v = maximum ? fmaxf(v, part[i]) : v + part[i];
  return v;
}

extern "C" __global__ void softmax_causal(const float* __restrict__ x, float* __restrict__ y, int heads, int n,
                                          float scale) {
  __shared__ float part[4];
  const int i = blockIdx.x;
  const float* row = x + (blockIdx.y * n + i) * n;
  float* out = y + (blockIdx.y * n + i) * n;
  float top = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j <= i; j += 128) top = fmaxf(top, scale * row[j]);
  top = block_reduce(top, true, part);
  for (int j = threadIdx.x; j <= i; j += 128) sum += expf(scale * row[j] - top);
  sum = block_reduce(sum, false, part);
  for (int j = threadIdx.x; j < n; j += 128) out[j] = j <= i ? expf(scale * row[j] - top) / sum : 0.0f;
}
