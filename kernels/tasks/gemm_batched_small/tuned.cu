// Small products: EACH of them a block, THREADS threads each; a thread has tiles of TM × TN elements. Both matrices are
// in shared memory, rows a word longer than the largest.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS* EACH)
    gemm_batched_small(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ c, int batch,
                       int m, int n, int k) {
  __shared__ float left[EACH][32 * 33], right[EACH][32 * 33];
  const int t = threadIdx.x, b = blockIdx.x * EACH + threadIdx.y;
  float *sa = left[threadIdx.y], *sx = right[threadIdx.y];
  if (b < batch) {
    const float* from_a = a + static_cast<long long>(b) * m * k;
    const float* from_x = x + static_cast<long long>(b) * k * n;
    for (int i = t; i < m * k; i += THREADS) sa[i / k * 33 + i % k] = from_a[i];
    for (int i = t; i < k * n; i += THREADS) sx[i / n * 33 + i % n] = from_x[i];
  }
  __syncthreads();
  if (b >= batch) return;
  float* to = c + static_cast<long long>(b) * m * n;
  const int wide = (n + TN - 1) / TN, high = (m + TM - 1) / TM;
  for (int tile = t; tile < wide * high; tile += THREADS) {
    // Elements of a tile are apart, so that neighbouring threads have neighbouring elements.
    const int row = tile / wide, column = tile % wide;
    float sum[TM][TN] = {};
    for (int l = 0; l < k; ++l) {
      float fa[TM], fx[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) fa[i] = row + i * high < m ? sa[(row + i * high) * 33 + l] : 0.0f;
#pragma unroll
      for (int j = 0; j < TN; ++j) fx[j] = column + j * wide < n ? sx[l * 33 + column + j * wide] : 0.0f;
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += fa[i] * fx[j];
    }
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j)
        if (row + i * high < m && column + j * wide < n) to[(row + i * high) * n + column + j * wide] = sum[i][j];
  }
}
