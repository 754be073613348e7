// The same kernel capped at 88 registers: up to sm_90 no instruction moves, yet ptxas spills more.
constexpr int kTile = 8;            // outputs a thread and direction
constexpr int kSide = 16 * kTile;   // outputs a block and direction
constexpr int kStep = 8;

extern "C" __global__ void __maxnreg__(88)
    sgemm_register_blocked(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, int n, int k) {
  __shared__ float sa[kStep][kSide], sb[kStep][kSide];
  const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
  float acc[kTile][kTile] = {};
  for (int k0 = 0; k0 < k; k0 += kStep) {
    for (int i = threadIdx.x; i < kStep * kSide; i += 256) {
      sa[i & 7][i >> 3] = a[(blockIdx.y * kSide + (i >> 3)) * k + k0 + (i & 7)];
      sb[i / kSide][i % kSide] = b[(k0 + i / kSide) * n + blockIdx.x * kSide + i % kSide];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kStep; ++kk) {
      float ra[kTile], rb[kTile];
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
        ra[i] = sa[kk][ty * kTile + i];
        rb[i] = sb[kk][tx * kTile + i];
      }
#pragma unroll
      for (int i = 0; i < kTile; ++i)
#pragma unroll
        for (int j = 0; j < kTile; ++j) acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kTile; ++i)
#pragma unroll
    for (int j = 0; j < kTile; ++j)
      c[(blockIdx.y * kSide + ty * kTile + i) * n + blockIdx.x * kSide + tx * kTile + j] = acc[i][j];
}
