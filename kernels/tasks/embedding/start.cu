// Sum of a token's and a position's embedding, a token a block.
#include <cuda_fp16.h>

extern "C" __global__ void embedding(const int* __restrict__ token, const __half* __restrict__ table,
                                     const __half* __restrict__ position, __half* __restrict__ y, int tokens, int width,
                                     int context) {
  const int t = blockIdx.x;
  const __half* a = table + static_cast<long long>(token[t]) * width;
  const __half* b = position + t % context * width;
  for (int c = threadIdx.x; c < width; c += 128)
    y[t * width + c] = __float2half_rn(__half2float(a[c]) + __half2float(b[c]));
}
