// c = a b: a block computes BM x BN, a thread TM x TN, over slices of BK in BUFFERS buffers of shared memory. A
// thread's rows and columns come in groups of four. Where rows are whole vectors they are loaded as such.
#include "../tuned.cuh"

constexpr int kThreadsX = BN / TN, kThreadsY = BM / TM, kThreads = kThreadsX * kThreadsY;
constexpr int kLoadsA = BM * BK / 4 / kThreads, kLoadsB = BK * BN / 4 / kThreads;
static_assert(kLoadsA * kThreads * 4 == BM * BK && kLoadsB * kThreads * 4 == BK * BN);

// Four elements of a row of which `left` are inside.
__device__ __forceinline__ Vector<float, 4> piece(const float* p, int left, bool whole) {
  if (whole && left >= 4) return load<4>(p);
  Vector<float, 4> v;
#pragma unroll
  for (int j = 0; j < 4; ++j) v.v[j] = j < left ? p[j] : 0.0f;
  return v;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_f32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) float sa[BUFFERS][BK][BM + 4], sb[BUFFERS][BK][BN];
  const int t = threadIdx.x, tx = t % kThreadsX, ty = t / kThreadsX;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  Vector<float, 4> in_a[kLoadsA], in_b[kLoadsB];
  auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < kLoadsA; ++i) {
      const int e = (t + i * kThreads) * 4, row = row0 + e / BK, l = k0 + e % BK;
      in_a[i] = piece(a + static_cast<long long>(row) * k + l, row < m ? k - l : 0, k % 4 == 0);
    }
#pragma unroll
    for (int i = 0; i < kLoadsB; ++i) {
      const int e = (t + i * kThreads) * 4, l = k0 + e / BN, column = column0 + e % BN;
      in_b[i] = piece(b + static_cast<long long>(l) * n + column, l < k ? n - column : 0, n % 4 == 0);
    }
  };
  auto keep = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < kLoadsA; ++i) {
      const int e = (t + i * kThreads) * 4;
#pragma unroll
      for (int j = 0; j < 4; ++j) sa[buffer][e % BK + j][e / BK] = in_a[i].v[j];
    }
#pragma unroll
    for (int i = 0; i < kLoadsB; ++i) {
      const int e = (t + i * kThreads) * 4;
      store(&sb[buffer][e / BN][e % BN], in_b[i]);
    }
  };
  auto row = [&](int i) { return ty * 4 + i % 4 + i / 4 * kThreadsY * 4; };
  auto column = [&](int j) { return tx * 4 + j % 4 + j / 4 * kThreadsX * 4; };
  float sum[TM][TN] = {};
  auto multiply = [&](int buffer) {
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      float fa[TM], fb[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) fa[i] = sa[buffer][l][row(i)];
#pragma unroll
      for (int j = 0; j < TN; ++j) fb[j] = sb[buffer][l][column(j)];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += fa[i] * fb[j];
    }
  };
  fetch(0);
  keep(0);
  __syncthreads();
  for (int k0 = 0, now = 0; k0 < k; k0 += BK) {
    const bool more = k0 + BK < k;
    if (more) fetch(k0 + BK);
    multiply(now);
    if (BUFFERS == 1)
      __syncthreads();
    else
      now ^= 1;
    if (more) keep(now);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const int r = row0 + row(i), l = column0 + column(j);
      if (r >= m) continue;
      float* to = c + static_cast<long long>(r) * n + l;
      if (n % 4 == 0 && l < n) {
        store(to, Vector<float, 4>{sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]});
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (l + e < n) to[e] = sum[i][j + e];
      }
    }
}
