// Causal attention on tensor cores: a warp has 16 queries; keys and values come in tiles of BN, STAGES − 1 ahead.
// Weights stay in the registers in which their scores were summed, which are the fragments of the second product.
#include <cuda_fp16.h>

#include <cmath>

#include "../tensor.cuh"

constexpr int kThreads = WARPS * 32, kQueries = WARPS * 16, kBytesTile = BN * 128;

__device__ __forceinline__ unsigned pair(float a, float b) {
  const __half2 v = __floats2half2_rn(a, b);
  return *reinterpret_cast<const unsigned*>(&v);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    attention_causal_f16(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                         __half* __restrict__ out, int heads, int n, float scale) {
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned queries = shared_address(memory), tiles = queries + kQueries * 128;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  // Blocks with many keys first.
  const int i0 = (gridDim.x - 1 - blockIdx.x) * kQueries;
  const long long head = blockIdx.y * static_cast<long long>(n) * 64;
  q += head;
  k += head;
  v += head;
  auto rows = [&](unsigned at, const __half* from, int first, int count) {
#pragma unroll
    for (int e = t; e < count * 8; e += kThreads) {
      const bool inside = first + e / 8 < n;
      copy_async(at + place<8>(e / 8, e % 8), inside ? from + (first + e / 8) * 64 + e % 8 * 8 : from, inside);
    }
  };
  auto fetch = [&](int stage, int j0) {
    rows(tiles + stage * 2 * kBytesTile, k, j0, BN);
    rows(tiles + stage * 2 * kBytesTile + kBytesTile, v, j0, BN);
  };
  const int end = min(i0 + kQueries, n);  // of the block's keys
  rows(queries, q, i0, kQueries);
#pragma unroll 1
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s * BN < end) fetch(s, s * BN);
    copies_end();
  }
  unsigned fq[4][4];
  float sum[8][4] = {}, top[2] = {-INFINITY, -INFINITY}, weight[2] = {};
  scale *= 1.4426950408889634f;               // powers of two are cheaper than of e
  const int own = i0 + warp * 16 + lane / 4;  // query of the first row; the second is 8 further
  int now = 0, next = STAGES - 1;
  for (int j0 = 0; j0 < end; j0 += BN) {
    copies_wait<STAGES - 2>();
    __syncthreads();
    if (j0 == 0) {
#pragma unroll
      for (int d = 0; d < 4; ++d) load_matrices(fq[d], queries + place<8>(warp * 16 + lane % 16, d * 2 + lane / 16));
    }
    if (j0 + (STAGES - 1) * BN < end) fetch(next, j0 + (STAGES - 1) * BN);
    copies_end();
    const unsigned keys = tiles + now * 2 * kBytesTile, values = keys + kBytesTile;
    now = now + 1 == STAGES ? 0 : now + 1;
    next = next + 1 == STAGES ? 0 : next + 1;
    // Keys beyond the warp's last query concern others only.
    if (j0 > i0 + warp * 16 + 15) continue;
    float score[BN / 8][4] = {};
#pragma unroll
    for (int j = 0; j < BN / 8; j += 2)
#pragma unroll
      for (int d = 0; d < 4; ++d) {
        unsigned fk[4];
        load_matrices(fk, keys + place<8>(j * 8 + lane % 8 + lane / 16 * 8, d * 2 + lane / 8 % 2));
        multiply_f16(score[j], fq[d], fk);
        multiply_f16(score[j + 1], fq[d], fk + 2);
      }
    float higher[2] = {top[0], top[1]};
#pragma unroll
    for (int j = 0; j < BN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int key = j0 + j * 8 + lane % 4 * 2 + e % 2;
        score[j][e] = key <= own + e / 2 * 8 ? score[j][e] * scale : -INFINITY;
        higher[e / 2] = fmaxf(higher[e / 2], score[j][e]);
      }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      higher[h] = fmaxf(higher[h], __shfl_xor_sync(~0u, higher[h], 1));
      higher[h] = fmaxf(higher[h], __shfl_xor_sync(~0u, higher[h], 2));
      const float shrink = exp2f(top[h] - higher[h]);
      top[h] = higher[h];
      weight[h] *= shrink;
#pragma unroll
      for (int d = 0; d < 8; ++d) sum[d][h * 2] *= shrink, sum[d][h * 2 + 1] *= shrink;
    }
#pragma unroll
    for (int j = 0; j < BN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) weight[e / 2] += score[j][e] = exp2f(score[j][e] - top[e / 2]);
#pragma unroll
    for (int j = 0; j < BN / 8; j += 2) {
      const unsigned fp[4] = {pair(score[j][0], score[j][1]), pair(score[j][2], score[j][3]),
                              pair(score[j + 1][0], score[j + 1][1]), pair(score[j + 1][2], score[j + 1][3])};
#pragma unroll
      for (int d = 0; d < 8; d += 2) {
        unsigned fv[4];
        load_transposed(fv, values + place<8>(j * 8 + lane % 16, d + lane / 16));
        multiply_f16(sum[d], fp, fv);
        multiply_f16(sum[d + 1], fp, fv + 2);
      }
    }
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    weight[h] += __shfl_xor_sync(~0u, weight[h], 1);
    weight[h] += __shfl_xor_sync(~0u, weight[h], 2);
    const int i = own + h * 8;
    if (i >= n) continue;
    const float share = 1.0f / weight[h];
#pragma unroll
    for (int d = 0; d < 8; ++d)
      *reinterpret_cast<unsigned*>(out + head + static_cast<long long>(i) * 64 + d * 8 + lane % 4 * 2) =
          pair(sum[d][h * 2] * share, sum[d][h * 2 + 1] * share);
  }
}
