// Rotary embedding: a thread has VEC neighbouring pairs of HEADS heads of a token, whose cosines and sines it loads
// once.
#include <cuda_fp16.h>

#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void turn(const __half* x, const float* cos, const float* sin, __half* y, int tokens,
                                     int heads, int half) {
  const int pieces = half / N, groups = (heads + HEADS - 1) / HEADS;
#pragma unroll 1
  for (int k = 0; k < VEC / N; ++k) {
    const int id = (blockIdx.x * (VEC / N) + k) * BLOCK + threadIdx.x;
    const int i = id % pieces * N, group = id / pieces % groups, t = id / pieces / groups;
    if (t >= tokens) return;
    const auto c = load<N>(cos + static_cast<long long>(t) * half + i);
    const auto s = load<N>(sin + static_cast<long long>(t) * half + i);
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
      if (group * HEADS + h >= heads) break;
      const long long at = (static_cast<long long>(t) * heads + group * HEADS + h) * 2 * half + i;
      auto a = load<N>(x + at), b = load<N>(x + at + half);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const float p = __half2float(a.v[j]), q = __half2float(b.v[j]);
        a.v[j] = __float2half_rn(p * c.v[j] - q * s.v[j]);
        b.v[j] = __float2half_rn(q * c.v[j] + p * s.v[j]);
      }
      store(y + at, a);
      store(y + at + half, b);
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    rotary_f16(const __half* __restrict__ x, const float* __restrict__ cos, const float* __restrict__ sin,
               __half* __restrict__ y, int tokens, int heads, int half) {
  if (half % VEC == 0)
    turn<VEC>(x, cos, sin, y, tokens, heads, half);
  else
    turn<1>(x, cos, sin, y, tokens, heads, half);
}
