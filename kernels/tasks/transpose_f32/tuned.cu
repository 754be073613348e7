// Transpose through tiles of TILE × TILE, VEC elements a load and a store, where rows and columns are whole vectors;
// ORDER 1: blocks go along diagonals.
#include "../tuned.cuh"

constexpr int kThreadsX = TILE / VEC;

extern "C" __global__ void __launch_bounds__(kThreadsX* TY)
    transpose_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  const int block_y = ORDER ? (blockIdx.y + blockIdx.x) % gridDim.y : blockIdx.y;
  const int c0 = blockIdx.x * TILE, r0 = block_y * TILE, tx = threadIdx.x;
  const bool whole = (rows | cols) % VEC == 0;
#pragma unroll
  for (int r = threadIdx.y; r < TILE; r += TY) {
    if (r0 + r >= rows) break;
    const float* row = x + static_cast<long long>(r0 + r) * cols + c0;
    if (whole && c0 + tx * VEC < cols) {
      const auto v = load<VEC>(row + tx * VEC);
#pragma unroll
      for (int j = 0; j < VEC; ++j) tile[r][tx * VEC + j] = v.v[j];
    } else if (!whole) {
#pragma unroll
      for (int j = 0; j < VEC; ++j)
        if (c0 + tx + j * kThreadsX < cols) tile[r][tx + j * kThreadsX] = row[tx + j * kThreadsX];
    }
  }
  __syncthreads();
#pragma unroll
  for (int c = threadIdx.y; c < TILE; c += TY) {
    if (c0 + c >= cols) break;
    float* to = y + static_cast<long long>(c0 + c) * rows + r0;
    if (whole && r0 + tx * VEC < rows) {
      Vector<float, VEC> v;
#pragma unroll
      for (int j = 0; j < VEC; ++j) v.v[j] = tile[tx * VEC + j][c];
      store(to + tx * VEC, v);
    } else if (!whole) {
#pragma unroll
      for (int j = 0; j < VEC; ++j)
        if (r0 + tx + j * kThreadsX < rows) to[tx + j * kThreadsX] = tile[tx + j * kThreadsX][c];
    }
  }
}
