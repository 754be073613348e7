// C = A * B through 16 x 16 tiles in shared memory, with guarded edges.
extern "C" __global__ void gemm_tiled(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c, int m, int n, int k) {
  __shared__ float sa[16][16], sb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    sa[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    sb[ty][tx] = k0 + ty < k && col < n ? b[(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum = fmaf(sa[ty][i], sb[i][tx], sum);
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
