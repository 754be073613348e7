// Causal attention of one query a thread; keys and values come in tiles of 32 through shared memory, as f32, up to the
// block's last query.
#include <cuda_fp16.h>

#include <cmath>

extern "C" __global__ void __launch_bounds__(64)
    attention_causal_f16(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                         __half* __restrict__ out, int heads, int n, float scale) {
  __shared__ float2 keys[32][32], values[32][32];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t, own = min(i, n - 1);
  const long long head = blockIdx.y * static_cast<long long>(n) * 32;  // in pairs
  const __half2* k2 = reinterpret_cast<const __half2*>(k) + head;
  const __half2* v2 = reinterpret_cast<const __half2*>(v) + head;
  float2 query[32], sum[32];
#pragma unroll
  for (int d = 0; d < 32; ++d) {
    query[d] = __half22float2(reinterpret_cast<const __half2*>(q)[head + own * 32 + d]);
    sum[d] = make_float2(0, 0);
  }
  float top = -INFINITY, weight = 0;
  const int end = min(blockIdx.x * 64 + 64, n);
  for (int j0 = 0; j0 < end; j0 += 32) {
    const int here = min(32, end - j0);
    __syncthreads();
    for (int e = t; e < here * 32; e += 64) {
      keys[e / 32][e % 32] = __half22float2(k2[j0 * 32 + e]);
      values[e / 32][e % 32] = __half22float2(v2[j0 * 32 + e]);
    }
    __syncthreads();
    for (int j = 0; j < min(here, own + 1 - j0); ++j) {
      float score = 0;
#pragma unroll
      for (int d = 0; d < 32; ++d) score += query[d].x * keys[j][d].x + query[d].y * keys[j][d].y;
      score *= scale;
      if (score > top) {
        const float shrink = expf(top - score);
        weight *= shrink;
#pragma unroll
        for (int d = 0; d < 32; ++d) sum[d].x *= shrink, sum[d].y *= shrink;
        top = score;
      }
      const float p = expf(score - top);
      weight += p;
#pragma unroll
      for (int d = 0; d < 32; ++d) sum[d].x += p * values[j][d].x, sum[d].y += p * values[j][d].y;
    }
  }
  if (i >= n) return;
#pragma unroll
  for (int d = 0; d < 32; ++d)
    reinterpret_cast<__half2*>(out)[head + i * 32 + d] = __floats2half2_rn(sum[d].x / weight, sum[d].y / weight);
}
