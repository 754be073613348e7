// Attention of one query a thread; keys and values come in tiles of 32 through shared memory, the softmax is taken as
// they come.
#include <cmath>

extern "C" __global__ void __launch_bounds__(64)
    attention_full_f32(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                       float* __restrict__ out, int heads, int n, float scale) {
  __shared__ float4 keys[32][16], values[32][16];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  const long long head = blockIdx.y * static_cast<long long>(n) * 16;  // in fours
  const float4* k4 = reinterpret_cast<const float4*>(k) + head;
  const float4* v4 = reinterpret_cast<const float4*>(v) + head;
  float4 query[16], sum[16];
#pragma unroll
  for (int d = 0; d < 16; ++d) {
    query[d] = reinterpret_cast<const float4*>(q)[head + min(i, n - 1) * 16 + d];
    sum[d] = make_float4(0, 0, 0, 0);
  }
  float top = -INFINITY, weight = 0;
  for (int j0 = 0; j0 < n; j0 += 32) {
    const int here = min(32, n - j0);
    __syncthreads();
    for (int e = t; e < here * 16; e += 64) {
      keys[e / 16][e % 16] = k4[j0 * 16 + e];
      values[e / 16][e % 16] = v4[j0 * 16 + e];
    }
    __syncthreads();
    for (int j = 0; j < here; ++j) {
      float score = 0;
#pragma unroll
      for (int d = 0; d < 16; ++d) {
        const float4 key = keys[j][d];
        score += query[d].x * key.x + query[d].y * key.y + query[d].z * key.z + query[d].w * key.w;
      }
      score *= scale;
      if (score > top) {
        const float shrink = expf(top - score);
        weight *= shrink;
#pragma unroll
        for (int d = 0; d < 16; ++d) sum[d].x *= shrink, sum[d].y *= shrink, sum[d].z *= shrink, sum[d].w *= shrink;
        top = score;
      }
      const float p = expf(score - top);
      weight += p;
#pragma unroll
      for (int d = 0; d < 16; ++d) {
        const float4 value = values[j][d];
        sum[d].x += p * value.x, sum[d].y += p * value.y, sum[d].z += p * value.z, sum[d].w += p * value.w;
      }
    }
  }
  if (i >= n) return;
#pragma unroll
  for (int d = 0; d < 16; ++d)
    reinterpret_cast<float4*>(out)[head + i * 16 + d] =
        make_float4(sum[d].x / weight, sum[d].y / weight, sum[d].z / weight, sum[d].w / weight);
}
