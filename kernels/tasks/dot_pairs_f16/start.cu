// Dot product of one pair of vectors a warp.
#include <cuda_fp16.h>

extern "C" __global__ void dot_pairs_f16(const __half* __restrict__ a, const __half* __restrict__ b,
                                         float* __restrict__ out, int pairs, int n) {
  const int p = blockIdx.x * 4 + threadIdx.y;
  if (p >= pairs) return;
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += __half2float(a[p * n + i]) * __half2float(b[p * n + i]);
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) out[p] = sum;
}
