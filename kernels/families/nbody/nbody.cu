// Gravity of n bodies on each other, all pairs, in tiles of BLOCK bodies.
//   ITEMS bodies a thread; UNROLL pairs at once; STAGE: where a tile is read from: 0 shared memory, four
//   words a body, 1 shared memory, an array a coordinate, 2 global memory; ROOT: 0 the approximate
//   reciprocal square root, 1 division by the exact square root.
__device__ __forceinline__ float inverse_root(float x) {
#if ROOT == 0
  return rsqrtf(x);
#else
  return __fdiv_rn(1.0f, __fsqrt_rn(x));
#endif
}

constexpr int kUnroll = UNROLL;

#if STAGE == 0
__shared__ float4 tile[BLOCK];
#elif STAGE == 1
__shared__ float tile_x[BLOCK], tile_y[BLOCK], tile_z[BLOCK], tile_m[BLOCK];
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
nbody(const float4* __restrict__ bodies, float4* __restrict__ forces, int n) {
  const int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  float4 me[ITEMS];
  float fx[ITEMS] = {}, fy[ITEMS] = {}, fz[ITEMS] = {};
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = first + i * BLOCK;
    me[i] = at < n ? bodies[at] : make_float4(0, 0, 0, 0);
  }
  for (int base = 0; base < n; base += BLOCK) {
#if STAGE < 2
    const int mine = base + threadIdx.x;
    // A body without mass pulls nobody.
    const float4 b = mine < n ? bodies[mine] : make_float4(0, 0, 0, 0);
#if STAGE == 0
    tile[threadIdx.x] = b;
#else
    tile_x[threadIdx.x] = b.x, tile_y[threadIdx.x] = b.y, tile_z[threadIdx.x] = b.z, tile_m[threadIdx.x] = b.w;
#endif
    __syncthreads();
    constexpr int kPairs = BLOCK;
#else
    const int kPairs = min(BLOCK, n - base);
#endif
#pragma unroll kUnroll
    for (int j = 0; j < kPairs; ++j) {
#if STAGE == 0
      const float4 other = tile[j];
#elif STAGE == 1
      const float4 other = make_float4(tile_x[j], tile_y[j], tile_z[j], tile_m[j]);
#else
      const float4 other = bodies[base + j];
#endif
#pragma unroll
      for (int i = 0; i < ITEMS; ++i) {
        const float dx = other.x - me[i].x, dy = other.y - me[i].y, dz = other.z - me[i].z;
        const float r = inverse_root(dx * dx + dy * dy + dz * dz + 0.01f);
        const float pull = other.w * r * r * r;
        fx[i] += dx * pull;
        fy[i] += dy * pull;
        fz[i] += dz * pull;
      }
    }
#if STAGE < 2
    __syncthreads();
#endif
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = first + i * BLOCK;
    if (at < n) forces[at] = make_float4(fx[i], fy[i], fz[i], me[i].w);
  }
}
