// c = relu(a b + bias) with the wmma API: a block computes 64 x 64 over slices of 32 in shared memory, a warp 32 x 32.
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda::wmma;

extern "C" __global__ void __launch_bounds__(128)
    gemm_bias_relu_bf16(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
                        const float* __restrict__ bias, __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(32) __nv_bfloat16 sa[64][40], sb[32][72];
  __shared__ __align__(32) float out[64][68];
  const int t = threadIdx.x, warp = t / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> fa[2];
  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> fb[2];
  fragment<accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) fill_fragment(sum[i][j], 0.0f);
  const uint4 zero = make_uint4(0, 0, 0, 0);
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = t; i < 64 * 4; i += 128) {
      const int row = row0 + i / 4, l = k0 + i % 4 * 8;
      *reinterpret_cast<uint4*>(&sa[i / 4][i % 4 * 8]) =
          row < m && l < k ? *reinterpret_cast<const uint4*>(a + row * k + l) : zero;
    }
    for (int i = t; i < 32 * 8; i += 128) {
      const int l = k0 + i / 8, column = column0 + i % 8 * 8;
      *reinterpret_cast<uint4*>(&sb[i / 8][i % 8 * 8]) =
          l < k && column < n ? *reinterpret_cast<const uint4*>(b + l * n + column) : zero;
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      for (int i = 0; i < 2; ++i) load_matrix_sync(fa[i], &sa[warp_row + i * 16][kk], 40);
      for (int j = 0; j < 2; ++j) load_matrix_sync(fb[j], &sb[kk][warp_column + j * 16], 72);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      store_matrix_sync(&out[warp_row + i * 16][warp_column + j * 16], sum[i][j], 68, mem_row_major);
  __syncthreads();
  for (int i = t; i < 64 * 64; i += 128) {
    const int row = row0 + i / 64, column = column0 + i % 64;
    if (row >= m || column >= n) continue;
    const float v = out[i / 64][i % 64] + bias[column];
    c[row * n + column] = __float2bfloat16_rn(v < 0.0f ? 0.0f : v);
  }
}
