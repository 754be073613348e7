// Logarithm of the softmax of one row a block: maximum and sum in one pass, the result in another.
#include <cmath>

extern "C" __global__ void log_softmax_rows(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float tops[8], sums[8];
  const float* row = x + blockIdx.x * cols;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < cols; i += 256) {
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
  top = tops[0];
  for (int i = 1; i < 8; ++i) top = fmaxf(top, tops[i]);
  sum = 0;
  for (int i = 0; i < 8; ++i) sum += sums[i] * (tops[i] == top ? 1.0f : expf(tops[i] - top));
  const float log_sum = logf(sum);
  for (int i = threadIdx.x; i < cols; i += 256) y[blockIdx.x * cols + i] = row[i] - top - log_sum;
}
