// C = A * B with the wmma API: one 16 x 16 tile a warp, fp16 in, fp32 out.
#include <mma.h>

extern "C" __global__ void gemm_wmma(const half* __restrict__ a, const half* __restrict__ b,
                                     float* __restrict__ c, int n, int k) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, row_major> fb;
  fragment<accumulator, 16, 16, 16, float> acc;
  fill_fragment(acc, 0.0f);
  const int row = blockIdx.y * 16, col = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
  for (int i = 0; i < k; i += 16) {
    load_matrix_sync(fa, a + row * k + i, k);
    load_matrix_sync(fb, b + i * n + col, n);
    mma_sync(acc, fa, fb, acc);
  }
  store_matrix_sync(c + row * n + col, acc, n, mem_row_major);
}
