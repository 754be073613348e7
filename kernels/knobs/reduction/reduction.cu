// The sum of n * n floats. A thread has UNROLL loads of VEC floats under way; a block adds its sum to the result.

struct alignas(4 * VEC) Vector {
  float v[VEC];
};

extern "C" __global__ void __launch_bounds__(BLOCK) reduction(const float* __restrict__ x, float* __restrict__ out, int n) {
  const size_t count = static_cast<size_t>(n) * n, vectors = count / VEC;
  const size_t step = static_cast<size_t>(gridDim.x) * BLOCK;
  size_t i = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
  float sum[UNROLL] = {};
  for (; i + (UNROLL - 1) * step < vectors; i += UNROLL * step) {
    Vector in[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) in[u] = reinterpret_cast<const Vector*>(x)[i + u * step];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int e = 0; e < VEC; ++e) sum[u] += in[u].v[e];
  }
  for (; i < vectors; i += step) {
    const Vector in = reinterpret_cast<const Vector*>(x)[i];
#pragma unroll
    for (int e = 0; e < VEC; ++e) sum[0] += in.v[e];
  }
  // What is no whole vector.
  if (blockIdx.x == 0 && threadIdx.x < count % VEC) sum[0] += x[vectors * VEC + threadIdx.x];

  float total = 0;
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) total += sum[u];
  for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(~0u, total, d);
  __shared__ float warps[BLOCK / 32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x < 32) {
    total = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(~0u, total, d);
    if (threadIdx.x == 0) atomicAdd(out, total);
  }
}
