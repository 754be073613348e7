// 4-bit weights times vector, a row a warp, a word of eight weights a lane and step.
#include <cuda_fp16.h>

extern "C" __global__ void matvec_int4(const unsigned* __restrict__ q, const __half* __restrict__ scale,
                                       const __half* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  const int r = blockIdx.x * 4 + threadIdx.y, words = cols / 8;
  if (r >= rows) return;
  float sum = 0;
  for (int w = threadIdx.x; w < words; w += 32) {
    const unsigned eight = q[r * words + w];
    float part = 0;
    for (int j = 0; j < 8; ++j) part += (static_cast<int>(eight >> (4 * j) & 15) - 8) * __half2float(x[w * 8 + j]);
    sum += part * __half2float(scale[(r * words + w) / 8]);
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) y[r] = sum;
}
