// Cross entropy of one row of logits a block: maximum and sum in one pass.
#include <cmath>

extern "C" __global__ void cross_entropy(const float* __restrict__ x, const int* __restrict__ label,
                                         float* __restrict__ loss, int rows, int classes) {
  __shared__ float tops[8], sums[8];
  const float* row = x + blockIdx.x * classes;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < classes; i += 256) {
    const float v = row[i];
    if (v > top) {
      sum *= expf(top - v);
      top = v;
    }
    sum += expf(v - top);
  }
  for (int d = 16; d; d >>= 1) {
    const float other_top = __shfl_xor_sync(0xffffffffu, top, d), other_sum = __shfl_xor_sync(0xffffffffu, sum, d);
    const float high = fmaxf(top, other_top);
    // Where both have seen nothing but −∞ there is nothing to shrink.
    sum =
        sum * (top == high ? 1.0f : expf(top - high)) + other_sum * (other_top == high ? 1.0f : expf(other_top - high));
    top = high;
  }
  if (threadIdx.x % 32 == 0) tops[threadIdx.x / 32] = top, sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    top = tops[0];
    for (int i = 1; i < 8; ++i) top = fmaxf(top, tops[i]);
    sum = 0;
    for (int i = 0; i < 8; ++i) sum += sums[i] * (tops[i] == top ? 1.0f : expf(tops[i] - top));
    const int wanted = label[blockIdx.x];
    loss[blockIdx.x] = wanted < 0 || wanted >= classes ? 0.0f : logf(sum) + top - row[wanted];
  }
}
