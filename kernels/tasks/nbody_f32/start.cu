// Gravity on one body a thread, in tiles of 128 bodies in shared memory.
extern "C" __global__ void __launch_bounds__(128)
    nbody_f32(const float4* __restrict__ body, float4* __restrict__ force, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = body[min(i, n - 1)];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int base = 0; base < n; base += 128) {
    const int here = min(128, n - base);
    __syncthreads();
    if (threadIdx.x < here) tile[threadIdx.x] = body[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < here; ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), pull = other.w * r * r * r;
      sum.x += dx * pull;
      sum.y += dy * pull;
      sum.z += dz * pull;
      sum.w -= other.w * r;
    }
  }
  if (i < n) force[i] = sum;
}
