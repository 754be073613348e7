// Cross entropy of one row of logits a block, with an ignored label.
#include <cmath>

extern "C" __global__ void cross_entropy(const float* __restrict__ logit, const int* __restrict__ label,
                                         float* __restrict__ loss, int classes, int ignored) {
  __shared__ float part[2][8];
  const float* row = logit + blockIdx.x * classes;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < classes; i += blockDim.x) {
    const float v = row[i];
    if (v > top) {
      sum *= expf(top - v);
      top = v;
    }
    sum += expf(v - top);
  }
  for (int d = 16; d; d >>= 1) {
    const float other_top = __shfl_xor_sync(0xffffffffu, top, d);
    const float other_sum = __shfl_xor_sync(0xffffffffu, sum, d);
    const float high = fmaxf(top, other_top);
    if (high > -INFINITY) sum = sum * expf(top - high) + other_sum * expf(other_top - high);
    top = high;
  }
  if ((threadIdx.x & 31) == 0) {
    part[0][threadIdx.x >> 5] = top;
    part[1][threadIdx.x >> 5] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    top = part[0][0];
    for (int i = 1; i < blockDim.x / 32; ++i) top = fmaxf(top, part[0][i]);
    sum = 0;
    for (int i = 0; i < blockDim.x / 32; ++i) sum += part[1][i] * expf(part[0][i] - top);
    const int wanted = label[blockIdx.x];
    loss[blockIdx.x] = wanted == ignored ? 0.0f : logf(sum) + top - row[wanted];
  }
}
