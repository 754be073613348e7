// The same kernel without setmaxnreg: no registers move from the producer to the consumers.
#include <cstdint>

#include "../wgmma.cuh"

constexpr int kStages = 4;

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void barrier_init(uint64_t* b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals));
}
__device__ __forceinline__ void barrier_arrive(uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ __forceinline__ void barrier_expect(uint64_t* b, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void barrier_wait(uint64_t* b, uint32_t phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(b)),
      "r"(phase)
      : "memory");
}
__device__ __forceinline__ void bulk_copy(void* to, const void* from, uint32_t bytes, uint64_t* b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(b))
      : "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1)
    specialised_product(const half* a, const half* b, float* c, int steps) {
  __shared__ __align__(128) half sa[kStages][2 * kTileA], sb[kStages][kTileB];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      barrier_init(&full[s], 1);
      barrier_init(&empty[s], 256);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    if (threadIdx.x == 0) {
      for (int i = 0; i < steps; ++i) {
        const int s = i % kStages;
        if (i >= kStages) barrier_wait(&empty[s], (i / kStages - 1) & 1);
        barrier_expect(&full[s], sizeof(sa[0]) + sizeof(sb[0]));
        bulk_copy(sa[s], a + i * 2 * kTileA, sizeof(sa[0]), &full[s]);
        bulk_copy(sb[s], b + i * kTileB, sizeof(sb[0]), &full[s]);
      }
    }
  } else {
    const int group = threadIdx.x / 128 - 1;
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < steps; ++i) {
      const int s = i % kStages;
      barrier_wait(&full[s], (i / kStages) & 1);
      warpgroup_arrive();
      mma_64x8x16(d, tile_descriptor(sa[s] + group * kTileA), tile_descriptor(sb[s]));
      warpgroup_commit();
      warpgroup_wait();
      barrier_arrive(&empty[s]);
    }
    for (int j = 0; j < 4; ++j) c[(threadIdx.x - 128) * 4 + j] = d[j];
  }
}
