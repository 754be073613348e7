// One small product a block, both matrices in shared memory; a thread has up to four elements of the result.
extern "C" __global__ void gemm_batched_small(const float* __restrict__ a, const float* __restrict__ x,
                                              float* __restrict__ c, int batch, int m, int n, int k) {
  __shared__ float sa[32][33], sx[32][33];
  const int b = blockIdx.x, t = threadIdx.y * 16 + threadIdx.x;
  for (int i = t; i < m * k; i += 256) sa[i / k][i % k] = a[b * m * k + i];
  for (int i = t; i < k * n; i += 256) sx[i / n][i % n] = x[b * k * n + i];
  __syncthreads();
  for (int row = threadIdx.y; row < m; row += 16)
    for (int column = threadIdx.x; column < n; column += 16) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += sa[row][l] * sx[l][column];
      c[(b * m + row) * n + column] = sum;
    }
}
