// c = a b: a block computes 64 x 64 over slices of 16 in shared memory, a thread 4 x 4.
extern "C" __global__ void __launch_bounds__(256)
    gemm_f32(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float sa[16][65], sb[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = t; i < 64 * 16; i += 256) {
      const int row = row0 + i / 16, l = k0 + i % 16;
      sa[i % 16][i / 16] = row < m && l < k ? a[row * k + l] : 0.0f;
    }
    for (int i = t; i < 16 * 64; i += 256) {
      const int l = k0 + i / 64, column = column0 + i % 64;
      sb[i / 64][i % 64] = l < k && column < n ? b[l * n + column] : 0.0f;
    }
    __syncthreads();
    for (int l = 0; l < 16; ++l) {
      float fa[4], fb[4];
      for (int i = 0; i < 4; ++i) fa[i] = sa[l][ty + i * 16];
      for (int j = 0; j < 4; ++j) fb[j] = sb[l][tx + j * 16];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += fa[i] * fb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + ty + i * 16, column = column0 + tx + j * 16;
      if (row < m && column < n) c[row * n + column] = sum[i][j];
    }
}
