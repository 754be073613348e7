// Attention of one query a block: LANES lanes a key, UNROLL keys of each group of lanes under way; the groups' parts
// meet in shared memory.
#include <cuda_fp16.h>

#include <cmath>

#include "../tuned.cuh"

constexpr int kOwn = 128 / LANES, kVector = kOwn < 8 ? kOwn : 8, kGroups = WARPS * 32 / LANES;

__device__ __forceinline__ void own(const __half* row, float (&to)[kOwn]) {
#pragma unroll
  for (int i = 0; i < kOwn; i += kVector) {
    const auto v = load<kVector>(row + (i / kVector * LANES + threadIdx.x % LANES) * kVector);
#pragma unroll
    for (int j = 0; j < kVector; ++j) to[i + j] = __half2float(v.v[j]);
  }
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
    attention_decode_f16(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                         float* __restrict__ out, int heads, int n, float scale) {
  __shared__ float tops[kGroups], weights[kGroups], sums[WARPS][128];
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const long long head = blockIdx.x * static_cast<long long>(n) * 128;
  float query[kOwn], sum[kOwn] = {}, top = -INFINITY, weight = 0;
  own(q + blockIdx.x * 128, query);
  scale *= 1.4426950408889634f;  // powers of two are cheaper than of e
#pragma unroll
  for (int d = 0; d < kOwn; ++d) query[d] *= scale;
  for (int j0 = 0; j0 < n; j0 += kGroups * UNROLL) {
    float key[UNROLL][kOwn], value[UNROLL][kOwn], score[UNROLL] = {};
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const long long at = head + min(j0 + u * kGroups + group, n - 1) * 128;
      own(k + at, key[u]);
      own(v + at, value[u]);
    }
    float higher = top;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#pragma unroll
      for (int d = 0; d < kOwn; ++d) score[u] += query[d] * key[u][d];
      score[u] = of_lanes<LANES>(score[u], Plus());
      if (j0 + u * kGroups + group >= n) score[u] = -INFINITY;
      higher = fmaxf(higher, score[u]);
    }
    if (higher == -INFINITY) continue;  // nothing for this group yet
    const float shrink = exp2f(top - higher);
    top = higher;
    weight *= shrink;
#pragma unroll
    for (int d = 0; d < kOwn; ++d) sum[d] *= shrink;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const float p = exp2f(score[u] - higher);
      weight += p;
#pragma unroll
      for (int d = 0; d < kOwn; ++d) sum[d] += p * value[u][d];
    }
  }
  if (lane == 0) tops[group] = top, weights[group] = weight;
  __syncthreads();
  float all = tops[0];
  for (int g = 1; g < kGroups; ++g) all = fmaxf(all, tops[g]);
  const float shrink = exp2f(top - all);
  // First the groups of a warp, in registers, then the warps.
#pragma unroll
  for (int d = 0; d < kOwn; ++d) {
    sum[d] *= shrink;
#pragma unroll
    for (int m = LANES; m < 32; m *= 2) sum[d] += __shfl_xor_sync(~0u, sum[d], m);
    if (threadIdx.x % 32 < LANES) sums[threadIdx.x / 32][(d / kVector * LANES + lane) * kVector + d % kVector] = sum[d];
  }
  __syncthreads();
  if (threadIdx.x >= 128) return;
  float whole = 0, result = 0;
  for (int g = 0; g < kGroups; ++g) whole += weights[g] * exp2f(tops[g] - all);
#pragma unroll
  for (int w = 0; w < WARPS; ++w) result += sums[w][threadIdx.x];
  out[blockIdx.x * 128 + threadIdx.x] = result / whole;
}
