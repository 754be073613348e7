// c = a b in f32, n x n, any n: a block computes a tile, a thread TILE x TILE of it, over slices that are copied to
// shared memory STAGES - 1 ahead.
#include <cuda_pipeline.h>

constexpr int kThreadsX = BLOCK <= 64 ? 8 : BLOCK <= 256 ? 16 : 32, kThreadsY = BLOCK / kThreadsX;
constexpr int kRows = kThreadsY * TILE, kColumns = kThreadsX * TILE, kSlice = 16, kUnroll = UNROLL;

// VEC floats, or as many of them as lie below `end`; the rest becomes zero.
template <int kVector>
__device__ void copy(float* to, const float* from, int at, int end) {
  const int whole = at + kVector <= end ? kVector : at < end ? end - at : 0;
  __pipeline_memcpy_async(to, from, 4 * kVector, 4 * (kVector - whole));
}

using TileOfA = float[kRows][kSlice + PAD];
using TileOfB = float[kSlice][kColumns + PAD];

template <int kVector>
__device__ void product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n,
                        TileOfA* sa, TileOfB* sb) {
  const int t = threadIdx.x, tx = t % kThreadsX, ty = t / kThreadsX;
  const int row0 = blockIdx.y * kRows, column0 = blockIdx.x * kColumns;
  const int slices = (n + kSlice - 1) / kSlice;

  auto fetch = [&](int slice) {
    const int k0 = slice * kSlice, stage = slice % STAGES;
    for (int e = t * kVector; e < kRows * kSlice; e += BLOCK * kVector) {
      const int row = e / kSlice, k = e % kSlice;
      const bool inside = row0 + row < n;
      copy<kVector>(&sa[stage][row][k], inside && k0 + k < n ? a + (row0 + row) * static_cast<size_t>(n) + k0 + k : a,
                    k0 + k, inside ? n : 0);
    }
    for (int e = t * kVector; e < kSlice * kColumns; e += BLOCK * kVector) {
      const int k = e / kColumns, column = e % kColumns;
      const bool inside = k0 + k < n;
      copy<kVector>(&sb[stage][k][column],
                    inside && column0 + column < n ? b + (k0 + k) * static_cast<size_t>(n) + column0 + column : b,
                    column0 + column, inside ? n : 0);
    }
  };

  float sum[TILE][TILE] = {};
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < slices) fetch(s);
    __pipeline_commit();
  }
  for (int s = 0; s < slices; ++s) {
    if (s + STAGES - 1 < slices) fetch(s + STAGES - 1);
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    const int stage = s % STAGES;
#pragma unroll kUnroll
    for (int k = 0; k < kSlice; ++k) {
      float fa[TILE], fb[TILE];
#pragma unroll
      for (int i = 0; i < TILE; ++i) fa[i] = sa[stage][ty + i * kThreadsY][k];
#pragma unroll
      for (int j = 0; j < TILE; ++j) fb[j] = sb[stage][k][tx + j * kThreadsX];
#pragma unroll
      for (int i = 0; i < TILE; ++i)
#pragma unroll
        for (int j = 0; j < TILE; ++j) sum[i][j] += fa[i] * fb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TILE; ++i)
#pragma unroll
    for (int j = 0; j < TILE; ++j) {
      const int row = row0 + ty + i * kThreadsY, column = column0 + tx + j * kThreadsX;
      if (row < n && column < n) c[row * static_cast<size_t>(n) + column] = sum[i][j];
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                      int n) {
  __shared__ __align__(16) TileOfA sa[STAGES];
  __shared__ __align__(16) TileOfB sb[STAGES];
  // Rows of other lengths do not begin at multiples of a vector.
  if (VEC > 1 && n % VEC != 0) {
    product<1>(a, b, c, n, sa, sb);
  } else {
    product<VEC>(a, b, c, n, sa, sb);
  }
}
