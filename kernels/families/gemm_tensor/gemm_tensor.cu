// c = a b on tensor cores: f16 in, f32 out. A block computes BM x BN, a warp WM x WN by
// mma.m16n8k16, over slices of BK that arrive by cp.async, STAGES at a time (1: by plain loads).
// LAYOUT of the slices in shared memory: 0 rows one after the other, 1 rows padded, 2 16-byte
// pieces of a row swizzled. Sizes are multiples of the tile.
constexpr int kWarpsX = BN / WN, kThreads = BM / WM * kWarpsX * 32;
constexpr int kMinBlocks = MIN_BLOCKS, kUnroll = UNROLL;
constexpr int kPad = LAYOUT == 1 ? 8 : 0;
constexpr int kStrideA = BK + kPad, kStrideB = BN + kPad;  // elements
constexpr int kBytesA = BM * kStrideA * 2, kBytesStage = kBytesA + BK * kStrideB * 2;

using Half = unsigned short;

// Bytes from the start of a tile to the 16-byte piece of a row.
template <int kStride, int kWidth>
__device__ unsigned place(int row, int piece) {
  if (LAYOUT == 2) {
    // Eight neighbouring rows of a column of pieces fall into different banks.
    constexpr int kPieces = kWidth / 8;
    piece ^= (kPieces >= 8 ? row : row / (8 / kPieces)) % (kPieces < 8 ? kPieces : 8);
  }
  return (row * kStride + piece * 8) * 2;
}

__device__ void copy_async(unsigned to, const Half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ void copy_now(unsigned to, const Half* from) {
  const uint4 v = *reinterpret_cast<const uint4*>(from);
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

__device__ void load_a(unsigned (&f)[4], unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
               : "r"(at)
               : "memory");
}

// Of two neighbouring tiles of 16 x 8.
__device__ void load_b(unsigned* f, unsigned at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
               : "r"(at)
               : "memory");
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(kThreads, kMinBlocks)
    gemm_tensor(const Half* __restrict__ a, const Half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char shared[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int warp_row = warp / kWarpsX * WM, warp_column = warp % kWarpsX * WN;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;

  auto fetch = [&](int stage, int k0) {
    const unsigned at = base + stage * kBytesStage;
#pragma unroll
    for (int i = t; i < BM * BK / 8; i += kThreads) {
      const int row = i / (BK / 8), piece = i % (BK / 8);
      const unsigned to = at + place<kStrideA, BK>(row, piece);
      const Half* from = a + static_cast<long long>(row0 + row) * k + k0 + piece * 8;
      STAGES == 1 ? copy_now(to, from) : copy_async(to, from);
    }
#pragma unroll
    for (int i = t; i < BK * BN / 8; i += kThreads) {
      const int row = i / (BN / 8), piece = i % (BN / 8);
      const unsigned to = at + kBytesA + place<kStrideB, BN>(row, piece);
      const Half* from = b + static_cast<long long>(k0 + row) * n + column0 + piece * 8;
      STAGES == 1 ? copy_now(to, from) : copy_async(to, from);
    }
  };

  float sum[WM / 16][WN / 8][4] = {};
  auto compute = [&](int stage) {
    const unsigned at = base + stage * kBytesStage;
#pragma unroll kUnroll
    for (int kk = 0; kk < BK; kk += 16) {
      unsigned fa[WM / 16][4], fb[WN / 4];
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
        load_a(fa[i], at + place<kStrideA, BK>(warp_row + i * 16 + lane % 16, kk / 8 + lane / 16));
#pragma unroll
      for (int j = 0; j < WN / 8; j += 2)
        load_b(fb + j * 2, at + kBytesA + place<kStrideB, BN>(kk + lane % 16, warp_column / 8 + j + lane / 16));
#pragma unroll
      for (int i = 0; i < WM / 16; ++i)
#pragma unroll
        for (int j = 0; j < WN / 8; ++j) multiply(sum[i][j], fa[i], fb + j * 2);
    }
  };

  if constexpr (STAGES == 1) {
    for (int k0 = 0; k0 < k; k0 += BK) {
      fetch(0, k0);
      __syncthreads();
      compute(0);
      __syncthreads();
    }
  } else {
#pragma unroll 1
    for (int s = 0; s < STAGES - 1; ++s) {
      if (s * BK < k) fetch(s, s * BK);
      asm volatile("cp.async.commit_group;" ::: "memory");
    }
    int now = 0, next = STAGES - 1;
    for (int k0 = 0; k0 < k; k0 += BK) {
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      __syncthreads();
      if (k0 + (STAGES - 1) * BK < k) fetch(next, k0 + (STAGES - 1) * BK);
      asm volatile("cp.async.commit_group;" ::: "memory");
      compute(now);
      now = now + 1 == STAGES ? 0 : now + 1;
      next = next + 1 == STAGES ? 0 : next + 1;
    }
  }
#pragma unroll
  for (int i = 0; i < WM / 16; ++i)
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      const int row = row0 + warp_row + i * 16 + lane / 4, column = column0 + warp_column + j * 8 + lane % 4 * 2;
      float2* out = reinterpret_cast<float2*>(c + static_cast<long long>(row) * n + column);
      out[0] = make_float2(sum[i][j][0], sum[i][j][1]);
      out[4LL * n] = make_float2(sum[i][j][2], sum[i][j][3]);
    }
}
