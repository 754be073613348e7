// Heads before tokens: the numbers of one token a block.
#include <cuda_fp16.h>

extern "C" __global__ void permute_heads_f16(const __half* __restrict__ x, __half* __restrict__ y, int batch,
                                             int tokens, int heads, int width) {
  const int t = blockIdx.x, b = blockIdx.y, all = heads * width;
  for (int i = threadIdx.x; i < all; i += 256)
    y[((b * heads + i / width) * tokens + t) * width + i % width] = x[(b * tokens + t) * all + i];
}
