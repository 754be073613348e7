// c = a b in f32: a block computes BM x BN, a thread TM x TN, over slices of BK.
// Sizes are multiples of the tile.
constexpr int kThreadsX = BN / TN, kThreadsY = BM / TM, kThreads = kThreadsX * kThreadsY;
constexpr int kLoadsA = BM * BK / (VEC * kThreads), kLoadsB = BK * BN / (VEC * kThreads);
constexpr int kBuffers = DOUBLE_BUFFER + 1, kUnroll = UNROLL;

struct alignas(4 * VEC) Vector {
  float v[VEC];
};

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) float sa[kBuffers][BK][BM + PAD], sb[kBuffers][BK][BN];
  const int t = threadIdx.x, tx = t % kThreadsX, ty = t / kThreadsX;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  Vector in_a[kLoadsA], in_b[kLoadsB];

  auto fetch = [&](int k0) {
#pragma unroll
    for (int i = 0; i < kLoadsA; ++i) {
      const int e = (t + i * kThreads) * VEC;
      in_a[i] = *reinterpret_cast<const Vector*>(a + (row0 + e / BK) * k + k0 + e % BK);
    }
#pragma unroll
    for (int i = 0; i < kLoadsB; ++i) {
      const int e = (t + i * kThreads) * VEC;
      in_b[i] = *reinterpret_cast<const Vector*>(b + (k0 + e / BN) * n + col0 + e % BN);
    }
  };
  auto store = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < kLoadsA; ++i) {
      const int e = (t + i * kThreads) * VEC;
#pragma unroll
      for (int j = 0; j < VEC; ++j) sa[buffer][e % BK + j][e / BK] = in_a[i].v[j];
    }
#pragma unroll
    for (int i = 0; i < kLoadsB; ++i) {
      const int e = (t + i * kThreads) * VEC;
      *reinterpret_cast<Vector*>(&sb[buffer][e / BN][e % BN]) = in_b[i];
    }
  };
  // A thread's columns are neighbours, or a whole row of threads apart.
  auto column = [&](int j) { return INTERLEAVED ? tx + j * kThreadsX : tx * TN + j; };
  auto row = [&](int i) { return INTERLEAVED ? ty + i * kThreadsY : ty * TM + i; };

  float sum[TM][TN] = {};
  auto multiply = [&](int buffer) {
#pragma unroll kUnroll
    for (int kk = 0; kk < BK; ++kk) {
      float fa[TM], fb[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) fa[i] = sa[buffer][kk][row(i)];
#pragma unroll
      for (int j = 0; j < TN; ++j) fb[j] = sb[buffer][kk][column(j)];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += fa[i] * fb[j];
    }
  };

  fetch(0);
  store(0);
  __syncthreads();
  for (int k0 = 0, now = 0; k0 < k; k0 += BK) {
    const bool more = k0 + BK < k;
    if (DOUBLE_BUFFER) {
      if (more) fetch(k0 + BK);
      multiply(now);
      now ^= 1;
      if (more) store(now);
      __syncthreads();
    } else {
      multiply(0);
      __syncthreads();
      if (more) {
        fetch(k0 + BK);
        store(0);
      }
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) c[(row0 + row(i)) * n + col0 + column(j)] = sum[i][j];
}
