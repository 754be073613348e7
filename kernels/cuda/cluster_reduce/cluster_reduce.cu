// A sum over a cluster of four blocks through distributed shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1)
    cluster_reduce(const float* __restrict__ x, float* __restrict__ out, int n) {
  __shared__ float part;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&part, i < n ? x[i] : 0.0f);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned r = 0; r < cluster.num_blocks(); ++r) sum += *cluster.map_shared_rank(&part, r);
    out[blockIdx.x / 4] = sum;
  }
  cluster.sync();
}
