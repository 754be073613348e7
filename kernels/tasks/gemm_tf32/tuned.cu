// c = a b by mma.sync: a block has a tile of BM × BN, a warp WM × WN, over slices of BK that arrive STAGES − 1 ahead.
// Rows in shared memory are padded so that fragments come without bank conflicts.
#include "../tensor.cuh"

constexpr int kWarpsX = BN / WN, kThreads = BM / WM * kWarpsX * 32;
constexpr int kStrideA = BK + 4, kStrideB = BN + 8, kStage = BM * kStrideA + BK * kStrideB;  // elements

__device__ __forceinline__ unsigned tf32(float v) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return r;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_tf32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(128) float stages[];
  const unsigned base = shared_address(stages);
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int warp_row = warp / kWarpsX * WM, warp_column = warp % kWarpsX * WN;
  auto fetch = [&](int stage, int k0) {
    const unsigned at = base + stage * kStage * 4;
#pragma unroll
    for (int i = t; i < BM * BK / 4; i += kThreads) {
      const int row = i / (BK / 4), l = i % (BK / 4) * 4;
      const bool inside = row0 + row < m && k0 + l < k;
      copy_async(at + (row * kStrideA + l) * 4, inside ? a + static_cast<long long>(row0 + row) * k + k0 + l : a,
                 inside);
    }
#pragma unroll
    for (int i = t; i < BK * BN / 4; i += kThreads) {
      const int l = i / (BN / 4), column = i % (BN / 4) * 4;
      const bool inside = k0 + l < k && column0 + column < n;
      copy_async(at + (BM * kStrideA + l * kStrideB + column) * 4,
                 inside ? b + static_cast<long long>(k0 + l) * n + column0 + column : b, inside);
    }
  };
  float sum[WM / 16][WN / 8][4] = {};
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
    const float* sa = stages + now * kStage + (warp_row + lane / 4) * kStrideA + lane % 4;
    const float* sb = stages + now * kStage + BM * kStrideA + lane % 4 * kStrideB + warp_column + lane / 4;
#pragma unroll
    for (int kk = 0; kk < BK; kk += 8) {
      unsigned fa[WM / 16][4], fb[WN / 8][2];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int e = 0; e < 4; ++e) fa[i][e] = tf32(sa[(i * 16 + e % 2 * 8) * kStrideA + kk + e / 2 * 4]);
#pragma unroll
      for (int j = 0; j < WN / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) fb[j][e] = tf32(sb[(kk + e * 4) * kStrideB + j * 8]);
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) multiply_tf32(sum[i][j], fa[i], fb[j]);
    }
    now = now + 1 == STAGES ? 0 : now + 1;
    next = next + 1 == STAGES ? 0 : next + 1;
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = row0 + warp_row + i * 16 + half * 8 + lane / 4;
        const int column = column0 + warp_column + j * 8 + lane % 4 * 2;
        if (row < m && column < n)
          *reinterpret_cast<float2*>(c + static_cast<long long>(row) * n + column) =
              make_float2(sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
}
