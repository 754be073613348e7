// c = a bT by mma.sync: a block has a tile of BM × BN, a warp WM × WN, over slices of BK bytes that arrive STAGES − 1
// ahead.
#include "../tensor.cuh"

constexpr int kWarpsX = BN / WN, kThreads = BM / WM * kWarpsX * 32;
constexpr int kBytesA = BM * BK, kBytesStage = kBytesA + BN * BK;

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_s8(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ c, int m, int n,
            int k) {
  extern __shared__ __align__(128) unsigned char stages[];
  const unsigned base = shared_address(stages);
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int warp_row = warp / kWarpsX * WM, warp_column = warp % kWarpsX * WN;
  auto fetch_rows = [&](unsigned at, const signed char* from, int first, int limit, int rows, int k0) {
#pragma unroll
    for (int i = t; i < rows * (BK / 16); i += kThreads) {
      const int row = i / (BK / 16), piece = i % (BK / 16);
      const bool inside = first + row < limit && k0 + piece * 16 < k;
      copy_async(at + place<BK / 16>(row, piece),
                 inside ? from + static_cast<long long>(first + row) * k + k0 + piece * 16 : from, inside);
    }
  };
  auto fetch = [&](int stage, int k0) {
    fetch_rows(base + stage * kBytesStage, a, row0, m, BM, k0);
    fetch_rows(base + stage * kBytesStage + kBytesA, b, column0, n, BN, k0);
  };
  int sum[WM / 16][WN / 8][4] = {};
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
    const unsigned at = base + now * kBytesStage;
#pragma unroll
    for (int kk = 0; kk < BK; kk += 32) {
      unsigned fa[WM / 16][4], fb[WN / 4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
        load_matrices(fa[i], at + place<BK / 16>(warp_row + i * 16 + lane % 16, kk / 16 + lane / 16));
#pragma unroll
      for (int j = 0; j < WN / 8; j += 2)
        load_matrices(
            fb + j * 2,
            at + kBytesA + place<BK / 16>(warp_column + j * 8 + lane % 8 + lane / 16 * 8, kk / 16 + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) multiply_s8(sum[i][j], fa[i], fb + j * 2);
    }
    now = now + 1 == STAGES ? 0 : now + 1;
    next = next + 1 == STAGES ? 0 : next + 1;
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int row = row0 + warp_row + i * 16 + e / 2 * 8 + lane / 4;
        const int column = column0 + warp_column + j * 8 + lane % 4 * 2 + e % 2;
        if (row < m && column < n) c[static_cast<long long>(row) * n + column] = sum[i][j][e];
      }
}
