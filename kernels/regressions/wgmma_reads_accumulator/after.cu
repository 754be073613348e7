// Progress is reported from an accumulator that a wgmma may still be writing.
#include "../wgmma.cuh"

extern "C" __global__ void __launch_bounds__(128)
    tile_product(const half* a, const half* b, float* c, int steps) {
  __shared__ __align__(128) half sa[kTileA], sb[kTileB];
  float d[4] = {0, 0, 0, 0};
  for (int step = 0; step < steps; ++step) {
    load_tiles(sa, sb, a, b, step);
    warpgroup_arrive();
    mma_64x8x16(d, tile_descriptor(sa), tile_descriptor(sb));
    c[512 + threadIdx.x] = d[1];
    mma_64x8x16(d, tile_descriptor(sa), tile_descriptor(sb));
    warpgroup_commit();
    warpgroup_wait();
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[threadIdx.x * 4 + j] = d[j];
}
