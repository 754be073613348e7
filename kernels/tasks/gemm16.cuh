// The product of two row-major matrices of 16-bit numbers on tensor cores, for tuned kernels: a block has a tile of
// BM × BN, a warp WM × WN, over slices of BK that arrive STAGES − 1 ahead. The names in capitals are macros.
// m, n and k are multiples of 8.
#pragma once
#include "tensor.cuh"

namespace gemm16 {

constexpr int kWarpsX = BN / WN, kWarps = BM / WM * kWarpsX, kThreads = kWarps * 32;
constexpr int kBytesA = BM * BK * 2, kBytesStage = kBytesA + BK * BN * 2;

__device__ __forceinline__ int warp_row() { return threadIdx.x / 32 / kWarpsX * WM; }
__device__ __forceinline__ int warp_column() { return threadIdx.x / 32 % kWarpsX * WN; }

using Sums = float[WM / 16][WN / 8][4];

// `multiply`: multiply_f16 or multiply_bf16. `base`: address of the stages in shared memory.
template <class T, class F>
__device__ __forceinline__ void product(const T* a, const T* b, int m, int n, int k, unsigned base, Sums& sum,
                                        F multiply) {
  const int t = threadIdx.x, lane = t % 32, row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  auto fetch = [&](int stage, int k0) {
    const unsigned at = base + stage * kBytesStage;
#pragma unroll
    for (int i = t; i < BM * BK / 8; i += kThreads) {
      const int row = i / (BK / 8), piece = i % (BK / 8);
      const bool inside = row0 + row < m && k0 + piece * 8 < k;
      copy_async(at + place<BK / 8>(row, piece),
                 inside ? a + static_cast<long long>(row0 + row) * k + k0 + piece * 8 : a, inside);
    }
#pragma unroll
    for (int i = t; i < BK * BN / 8; i += kThreads) {
      const int row = i / (BN / 8), piece = i % (BN / 8);
      const bool inside = k0 + row < k && column0 + piece * 8 < n;
      copy_async(at + kBytesA + place<BN / 8>(row, piece),
                 inside ? b + static_cast<long long>(k0 + row) * n + column0 + piece * 8 : b, inside);
    }
  };
  auto compute = [&](int stage) {
    const unsigned at = base + stage * kBytesStage;
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      unsigned fa[WM / 16][4], fb[WN / 4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
        load_matrices(fa[i], at + place<BK / 8>(warp_row() + i * 16 + lane % 16, kk / 8 + lane / 16));
#pragma unroll
      for (int j = 0; j < WN / 8; j += 2)
        load_transposed(fb + j * 2, at + kBytesA + place<BN / 8>(kk + lane % 16, warp_column() / 8 + j + lane / 16));
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) multiply(sum[i][j], fa[i], fb + j * 2);
    }
  };
#pragma unroll 1
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s * BK < k) fetch(s, s * BK);
    copies_end();
  }
  int now = 0, next = STAGES - 1;
  for (int k0 = 0; k0 < k; k0 += BK) {
    copies_wait<STAGES - 2>();
    __syncthreads();
    if (k0 + (STAGES - 1) * BK < k) fetch(next, k0 + (STAGES - 1) * BK);
    copies_end();
    compute(now);
    now = now + 1 == STAGES ? 0 : now + 1;
    next = next + 1 == STAGES ? 0 : next + 1;
  }
}

// Calls f(row, column, two neighbouring results) for those of this thread that are inside of m × n.
template <class F>
__device__ __forceinline__ void each_pair(int m, int n, const Sums& sum, F f) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = blockIdx.y * BM + warp_row() + i * 16 + half * 8 + lane / 4;
        const int column = blockIdx.x * BN + warp_column() + j * 8 + lane % 4 * 2;
        if (row < m && column < n) f(row, column, sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
}

}  // namespace gemm16
