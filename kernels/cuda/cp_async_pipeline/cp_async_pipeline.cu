// A running product over tiles that cp.async brings in two stages ahead.
#include <cuda_pipeline.h>

extern "C" __global__ void cp_async_pipeline(const float4* __restrict__ x, float4* __restrict__ y, int tiles) {
  __shared__ float4 stage[3][128];
  const int t = threadIdx.x;
  for (int s = 0; s < 2; ++s) {
    if (s < tiles) __pipeline_memcpy_async(&stage[s][t], &x[(blockIdx.x * tiles + s) * 128 + t], 16);
    __pipeline_commit();
  }
  float4 p = make_float4(1, 1, 1, 1);
  for (int i = 0; i < tiles; ++i) {
    if (i + 2 < tiles)
      __pipeline_memcpy_async(&stage[(i + 2) % 3][t], &x[(blockIdx.x * tiles + i + 2) * 128 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    const float4 v = stage[i % 3][127 - t];
    p = make_float4(p.x * v.x, p.y * v.y, p.z * v.z, p.w * v.w);
    __syncthreads();
  }
  y[blockIdx.x * 128 + t] = p;
}
