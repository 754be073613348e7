// Attention with 64 dimensions in f32, keys in tiles, softmax as they come (Milakov and Gimelshein, 2018).
// A block has BM queries of a head. TEAM threads share a query's dimensions; a team has QUERIES queries.
// STAGE: where keys and values are read from: 0 global memory, 1 a tile of BN in shared memory, 2 the same in f16.
// Scores of GROUP keys are summed before sums so far are scaled. n is a multiple of BM and BN.
#include <cuda_fp16.h>

constexpr int kDimensions = 64, kOwn = kDimensions / TEAM, kTeams = BM / QUERIES, kThreads = kTeams * TEAM;
constexpr int kGroup = GROUP;

__device__ float number(float v) { return v; }
__device__ float number(__half v) { return __half2float(v); }

template <class T>
struct alignas(sizeof(T) * VEC) Vector {
  T v[VEC];
};

// The thread's own dimensions of a row.
template <class T>
__device__ void own(const T* row, float (&to)[kOwn]) {
#pragma unroll
  for (int i = 0; i < kOwn; i += VEC) {
    const auto v = *reinterpret_cast<const Vector<T>*>(row + i * TEAM + threadIdx.x % TEAM * VEC);
#pragma unroll
    for (int j = 0; j < VEC; ++j) to[i + j] = number(v.v[j]);
  }
}

__device__ void keep(float* to, float4 v) { *reinterpret_cast<float4*>(to) = v; }
__device__ void keep(__half* to, float4 v) {
  reinterpret_cast<__half2*>(to)[0] = __floats2half2_rn(v.x, v.y);
  reinterpret_cast<__half2*>(to)[1] = __floats2half2_rn(v.z, v.w);
}

#if STAGE == 2
using Element = __half;
#else
using Element = float;
#endif

extern "C" __global__ void __launch_bounds__(kThreads)
    attention_small(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                    float* __restrict__ out, int n, float scale) {
  const int t = threadIdx.x, team = t / TEAM;
  const long long head = blockIdx.y * static_cast<long long>(n) * kDimensions;
  const int first = blockIdx.x * BM + team;  // query; the team's others are kTeams apart
  k += head;
  v += head;
#if STAGE
  __shared__ __align__(16) Element keys[BN][kDimensions], values[BN][kDimensions];
#endif

  float query[QUERIES][kOwn], sum[QUERIES][kOwn] = {}, top[QUERIES], weight[QUERIES] = {};
#pragma unroll
  for (int i = 0; i < QUERIES; ++i) {
    own(q + head + (first + i * kTeams) * kDimensions, query[i]);
#pragma unroll
    for (int d = 0; d < kOwn; ++d) query[i][d] *= scale;
    top[i] = -3.4e38f;
  }
  for (int k0 = 0; k0 < n; k0 += BN) {
#if STAGE
    __syncthreads();
    for (int i = t; i < BN * kDimensions / 4; i += kThreads) {
      keep(&keys[0][0] + i * 4, reinterpret_cast<const float4*>(k + k0 * kDimensions)[i]);
      keep(&values[0][0] + i * 4, reinterpret_cast<const float4*>(v + k0 * kDimensions)[i]);
    }
    __syncthreads();
#else
    const float(*keys)[kDimensions] = reinterpret_cast<const float(*)[kDimensions]>(k + k0 * kDimensions);
    const float(*values)[kDimensions] = reinterpret_cast<const float(*)[kDimensions]>(v + k0 * kDimensions);
#endif
#pragma unroll 1
    for (int j = 0; j < BN; j += kGroup) {
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
#pragma unroll
          for (int d = TEAM / 2; d > 0; d /= 2) score[i][g] += __shfl_xor_sync(~0u, score[i][g], d);
          higher = fmaxf(higher, score[i][g]);
        }
        const float shrink = __expf(top[i] - higher);
        top[i] = higher;
        weight[i] *= shrink;
#pragma unroll
        for (int d = 0; d < kOwn; ++d) sum[i][d] *= shrink;
#pragma unroll
        for (int g = 0; g < kGroup; ++g) weight[i] += score[i][g] = __expf(score[i][g] - higher);
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
  for (int i = 0; i < QUERIES; ++i)
#pragma unroll
    for (int d = 0; d < kOwn; d += VEC) {
      Vector<float> o;
#pragma unroll
      for (int j = 0; j < VEC; ++j) o.v[j] = sum[i][d + j] / weight[i];
      *reinterpret_cast<Vector<float>*>(out + head + (first + i * kTeams) * kDimensions + d * TEAM + t % TEAM * VEC) = o;
    }
}
