// C = A * B with float4 loads and stores and a 4 x 4 register tile; sizes are multiples of 64.
extern "C" __global__ void __launch_bounds__(256)
    gemm_vectorised(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c,
                    int n, int k) {
  __shared__ float4 sa[64][4], sb[16][16];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float4 acc[4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    sa[threadIdx.x / 4][threadIdx.x % 4] = a[((blockIdx.y * 64 + threadIdx.x / 4) * k + k0) / 4 + threadIdx.x % 4];
    sb[ty][tx] = b[((k0 + ty) * n + blockIdx.x * 64) / 4 + tx];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float4 bv = sb[i][tx];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float av = reinterpret_cast<const float*>(sa[ty * 4 + r])[i];
        acc[r].x = fmaf(av, bv.x, acc[r].x);
        acc[r].y = fmaf(av, bv.y, acc[r].y);
        acc[r].z = fmaf(av, bv.z, acc[r].z);
        acc[r].w = fmaf(av, bv.w, acc[r].w);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[((blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64) / 4 + tx] = acc[r];
}
