// Attention of one query a block: a warp takes every eighth key, its lanes four dimensions each; the warps' parts meet
// in shared memory.
#include <cuda_fp16.h>

#include <cmath>

__device__ float4 four(const __half* p) {
  const uint2 bits = *reinterpret_cast<const uint2*>(p);
  const float2 a = __half22float2(*reinterpret_cast<const __half2*>(&bits.x));
  const float2 b = __half22float2(*reinterpret_cast<const __half2*>(&bits.y));
  return make_float4(a.x, a.y, b.x, b.y);
}

extern "C" __global__ void __launch_bounds__(256)
    attention_decode_f16(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                         float* __restrict__ out, int heads, int n, float scale) {
  __shared__ float tops[8], weights[8], sums[8][128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long head = blockIdx.x * static_cast<long long>(n) * 128;
  const float4 query = four(q + blockIdx.x * 128 + lane * 4);
  float4 sum = make_float4(0, 0, 0, 0);
  float top = -INFINITY, weight = 0;
  for (int j = warp; j < n; j += 8) {
    const float4 key = four(k + head + j * 128 + lane * 4), value = four(v + head + j * 128 + lane * 4);
    float score = query.x * key.x + query.y * key.y + query.z * key.z + query.w * key.w;
    for (int d = 16; d; d >>= 1) score += __shfl_xor_sync(0xffffffffu, score, d);
    score *= scale;
    const float higher = fmaxf(top, score), shrink = expf(top - higher), p = expf(score - higher);
    top = higher;
    weight = weight * shrink + p;
    sum.x = sum.x * shrink + p * value.x;
    sum.y = sum.y * shrink + p * value.y;
    sum.z = sum.z * shrink + p * value.z;
    sum.w = sum.w * shrink + p * value.w;
  }
  if (lane == 0) tops[warp] = top, weights[warp] = weight;
  *reinterpret_cast<float4*>(&sums[warp][lane * 4]) = sum;
  __syncthreads();
  if (threadIdx.x >= 128) return;
  top = tops[0];
  for (int w = 1; w < 8; ++w) top = fmaxf(top, tops[w]);
  float all = 0, value = 0;
  for (int w = 0; w < 8; ++w) {
    // A warp without keys has a maximum of −∞ and no weight.
    const float shrink = expf(tops[w] - top);
    all += weights[w] * shrink;
    value += sums[w][threadIdx.x] * shrink;
  }
  out[blockIdx.x * 128 + threadIdx.x] = value / all;
}
