// Attention with a team of TEAM threads for QUERIES queries: a thread has every TEAM-th four dimensions of each. Keys
// and values come in tiles of BN through shared memory; scores of four keys are summed before what there is so far is
// scaled.
#include <cmath>

#include "../tuned.cuh"

constexpr int kOwn = 64 / TEAM, kTeams = THREADS / TEAM, kGroup = 4;

// The thread's own dimensions of a row.
__device__ __forceinline__ void own(const float* row, float (&to)[kOwn]) {
#pragma unroll
  for (int i = 0; i < kOwn; i += 4) {
    const auto v = load<4>(row + i * TEAM + threadIdx.x % TEAM * 4);
#pragma unroll
    for (int j = 0; j < 4; ++j) to[i + j] = v.v[j];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    attention_full_f32(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                       float* __restrict__ out, int heads, int n, float scale) {
  __shared__ __align__(16) float keys[BN][64], values[BN][64];
  const int t = threadIdx.x, first = blockIdx.x * kTeams * QUERIES + t / TEAM;
  const long long head = blockIdx.y * static_cast<long long>(n) * 64;
  k += head;
  v += head;
  // Powers of two are cheaper than of e.
  scale *= 1.4426950408889634f;
  float query[QUERIES][kOwn], sum[QUERIES][kOwn] = {}, top[QUERIES], weight[QUERIES] = {};
#pragma unroll
  for (int i = 0; i < QUERIES; ++i) {
    own(q + head + min(first + i * kTeams, n - 1) * 64, query[i]);
#pragma unroll
    for (int d = 0; d < kOwn; ++d) query[i][d] *= scale;
    top[i] = -INFINITY;
  }
  for (int j0 = 0; j0 < n; j0 += BN) {
    const int here = min(BN, n - j0);
    __syncthreads();
    for (int e = t; e < BN * 16; e += THREADS) {
      const Vector<float, 4> zero = {};
      store(&keys[0][0] + e * 4, e < here * 16 ? load<4>(k + j0 * 64 + e * 4) : zero);
      store(&values[0][0] + e * 4, e < here * 16 ? load<4>(v + j0 * 64 + e * 4) : zero);
    }
    __syncthreads();
#pragma unroll 1
    for (int j = 0; j < here; j += kGroup) {
      float score[QUERIES][kGroup] = {};
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        float key[kOwn];
        own(keys[j + g], key);
#pragma unroll
        for (int i = 0; i < QUERIES; ++i)
#pragma unroll
          for (int d = 0; d < kOwn; ++d) score[i][g] += query[i][d] * key[d];
      }
#pragma unroll
      for (int i = 0; i < QUERIES; ++i) {
        float higher = top[i];
#pragma unroll
        for (int g = 0; g < kGroup; ++g) {
          score[i][g] = of_lanes<TEAM>(score[i][g], Plus());
          if (j + g >= here) score[i][g] = -INFINITY;
          higher = fmaxf(higher, score[i][g]);
        }
        const float shrink = exp2f(top[i] - higher);
        top[i] = higher;
        weight[i] *= shrink;
#pragma unroll
        for (int d = 0; d < kOwn; ++d) sum[i][d] *= shrink;
#pragma unroll
        for (int g = 0; g < kGroup; ++g) weight[i] += score[i][g] = exp2f(score[i][g] - higher);
      }
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        float value[kOwn];
        own(values[j + g], value);
#pragma unroll
        for (int i = 0; i < QUERIES; ++i)
#pragma unroll
          for (int d = 0; d < kOwn; ++d) sum[i][d] += score[i][g] * value[d];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < QUERIES; ++i) {
    if (first + i * kTeams >= n) break;
    const float share = 1.0f / weight[i];
#pragma unroll
    for (int d = 0; d < kOwn; d += 4)
      store(out + head + (first + i * kTeams) * 64 + d * TEAM + t % TEAM * 4,
            Vector<float, 4>{sum[i][d] * share, sum[i][d + 1] * share, sum[i][d + 2] * share, sum[i][d + 3] * share});
  }
}
