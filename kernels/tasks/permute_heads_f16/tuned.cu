// Heads before tokens: neighbouring threads have neighbouring vectors of the result, ITEMS each, under way at once.
#include <cuda_fp16.h>

#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void move(const __half* x, __half* y, int batch, int tokens, int heads, int width) {
  constexpr int kItems = ITEMS * VEC / N;
  const int pieces = width / N, vectors = batch * tokens * heads * pieces;
  const int first = blockIdx.x * BLOCK * kItems + threadIdx.x;
  Vector<__half, N> v[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int e = first + i * BLOCK;
    if (e >= vectors) break;
    const int d = e % pieces, t = e / pieces % tokens, h = e / pieces / tokens % heads, b = e / pieces / tokens / heads;
    v[i] = load<N>(x + static_cast<long long>((b * tokens + t) * heads + h) * width + d * N);
  }
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int e = first + i * BLOCK;
    if (e < vectors) store(y + static_cast<long long>(e) * N, v[i]);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    permute_heads_f16(const __half* __restrict__ x, __half* __restrict__ y, int batch, int tokens, int heads,
                      int width) {
  if (width % VEC == 0)
    move<VEC>(x, y, batch, tokens, heads, width);
  else
    move<1>(x, y, batch, tokens, heads, width);
}
