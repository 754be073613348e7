// c = a b with the wmma API: a block computes 64 x 64 over slices of 16 in shared memory, a warp 32 x 32.
#include <mma.h>

using namespace nvcuda::wmma;

extern "C" __global__ void __launch_bounds__(128)
    gemm_tf32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(32) float sa[64][20], sb[16][68];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> fa[2];
  fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> fb[2];
  fragment<accumulator, 16, 16, 8, float> sum[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) fill_fragment(sum[i][j], 0.0f);
  const float4 zero = make_float4(0, 0, 0, 0);
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = t; i < 64 * 4; i += 128) {
      const int row = row0 + i / 4, l = k0 + i % 4 * 4;
      const float4 v = row < m ? *reinterpret_cast<const float4*>(a + row * k + l) : zero;
      float* to = &sa[i / 4][i % 4 * 4];
      to[0] = __float_to_tf32(v.x), to[1] = __float_to_tf32(v.y), to[2] = __float_to_tf32(v.z),
      to[3] = __float_to_tf32(v.w);
    }
    for (int i = t; i < 16 * 16; i += 128) {
      const int l = k0 + i / 16, column = column0 + i % 16 * 4;
      const float4 v = column < n ? *reinterpret_cast<const float4*>(b + l * n + column) : zero;
      float* to = &sb[i / 16][i % 16 * 4];
      to[0] = __float_to_tf32(v.x), to[1] = __float_to_tf32(v.y), to[2] = __float_to_tf32(v.z),
      to[3] = __float_to_tf32(v.w);
    }
    __syncthreads();
    for (int kk = 0; kk < 16; kk += 8) {
      for (int i = 0; i < 2; ++i) load_matrix_sync(fa[i], &sa[warp_row + i * 16][kk], 20);
      for (int j = 0; j < 2; ++j) load_matrix_sync(fb[j], &sb[kk][warp_column + j * 16], 68);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const int row = row0 + warp_row + i * 16, column = column0 + warp_column + j * 16;
      if (row < m && column < n) store_matrix_sync(c + row * n + column, sum[i][j], n, mem_row_major);
    }
}
