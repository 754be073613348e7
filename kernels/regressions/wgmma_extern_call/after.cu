// The row is summed pairwise by a recursive helper: calls that ptxas cannot resolve to a fixed depth.
#include "../wgmma.cuh"

__device__ float row_sum(const half* row, int n) {
  return n == 1 ? __half2float(row[0]) : row_sum(row, n / 2) + row_sum(row + n / 2, n - n / 2);
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
    const float scale = row_sum(b + step * kTileB, 16 + (steps & 1));
    for (float& v : d) v *= scale;
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[threadIdx.x * 4 + j] = d[j];
}
