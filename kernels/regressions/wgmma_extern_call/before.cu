// A row of B is summed by a loop before each step's result is scaled.
#include "../wgmma.cuh"

__device__ float row_sum(const half* row, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += __half2float(row[i]);
  return sum;
}

extern "C" __global__ void __launch_bounds__(128)
    tile_product(const half* a, const half* b, float* c, int steps) {
  __shared__ __align__(128) half sa[kTileA], sb[kTileB];
  float d[4] = {0, 0, 0, 0};
  for (int step = 0; step < steps; ++step) {
    load_tiles(sa, sb, a, b, step);
    warpgroup_arrive();
    mma_64x8x16(d, tile_descriptor(sa), tile_descriptor(sb));
    mma_64x8x16(d, tile_descriptor(sa), tile_descriptor(sb));
    warpgroup_commit();
    warpgroup_wait();
    const float scale = row_sum(b + step * kTileB, 16);
    for (float& v : d) v *= scale;
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[threadIdx.x * 4 + j] = d[j];
}
