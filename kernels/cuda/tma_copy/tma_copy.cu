// A 2-D tile through the tensor memory accelerator: load, add one, store.
#include <cuda.h>

#include <cstdint>

__device__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

extern "C" __global__ void tma_copy(const __grid_constant__ CUtensorMap in,
                                    const __grid_constant__ CUtensorMap out) {
  __shared__ __align__(128) float tile[32][32];
  __shared__ uint64_t arrived;
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&arrived)));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)),
                 "r"(static_cast<uint32_t>(sizeof(tile))));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(shared_address(tile)),
        "l"(&in), "r"(x), "r"(y), "r"(shared_address(&arrived))
        : "memory");
  }
  __syncthreads();
  asm volatile(
      "{\n.reg .pred done;\nwaiting:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
      "@!done bra waiting;\n}" ::"r"(shared_address(&arrived))
      : "memory");
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i / 32][i % 32] += 1.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out),
                 "r"(x), "r"(y), "r"(shared_address(tile))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
