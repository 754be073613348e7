// c = a bT by dot products of four bytes: a block computes 64 x 64 over slices of 64 in shared memory, a thread 4 x 4.
extern "C" __global__ void __launch_bounds__(256)
    gemm_s8(const signed char* __restrict__ a, const signed char* __restrict__ b, int* __restrict__ c, int m, int n,
            int k) {
  __shared__ int sa[64][17], sb[64][17];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64, words = k / 4;
  const int* wa = reinterpret_cast<const int*>(a);
  const int* wb = reinterpret_cast<const int*>(b);
  int sum[4][4] = {};
  for (int k0 = 0; k0 < words; k0 += 16) {
    for (int i = t; i < 64 * 16; i += 256) {
      const int row = row0 + i / 16, column = column0 + i / 16, l = k0 + i % 16;
      sa[i / 16][i % 16] = row < m && l < words ? wa[row * words + l] : 0;
      sb[i / 16][i % 16] = column < n && l < words ? wb[column * words + l] : 0;
    }
    __syncthreads();
    for (int l = 0; l < 16; ++l) {
      int fa[4], fb[4];
      for (int i = 0; i < 4; ++i) fa[i] = sa[ty + i * 16][l];
      for (int j = 0; j < 4; ++j) fb[j] = sb[tx + j * 16][l];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] = __dp4a(fa[i], fb[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + ty + i * 16, column = column0 + tx + j * 16;
      if (row < m && column < n) c[row * n + column] = sum[i][j];
    }
}
