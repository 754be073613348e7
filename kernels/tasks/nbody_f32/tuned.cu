// Gravity on ITEMS bodies a thread, in tiles of BLOCK bodies in shared memory, UNROLL pairs at once. Behind the last
// body are such without mass, which pull nobody.
constexpr int kUnroll = UNROLL;

extern "C" __global__ void __launch_bounds__(BLOCK)
    nbody_f32(const float4* __restrict__ body, float4* __restrict__ force, int n) {
  __shared__ float4 tile[BLOCK];
  const int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  float4 me[ITEMS], sum[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    me[i] = body[min(first + i * BLOCK, n - 1)];
    sum[i] = make_float4(0, 0, 0, 0);
  }
  for (int base = 0; base < n; base += BLOCK) {
    __syncthreads();
    tile[threadIdx.x] = base + threadIdx.x < n ? body[base + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll kUnroll
    for (int j = 0; j < BLOCK; ++j) {
      const float4 other = tile[j];
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        const float dx = other.x - me[i].x, dy = other.y - me[i].y, dz = other.z - me[i].z;
        const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), weight = other.w * r, pull = weight * r * r;
        sum[i].x += dx * pull;
        sum[i].y += dy * pull;
        sum[i].z += dz * pull;
        sum[i].w -= weight;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < n) force[first + i * BLOCK] = sum[i];
}
