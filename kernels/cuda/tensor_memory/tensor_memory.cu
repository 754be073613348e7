// Blackwell tensor memory: allocate columns, store a register to them, load it back, free them.
#include <cstdint>

extern "C" __global__ void tensor_memory(const uint32_t* __restrict__ x, uint32_t* __restrict__ y) {
  __shared__ uint32_t base;
  const uint32_t slot = static_cast<uint32_t>(__cvta_generic_to_shared(&base));
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(slot));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  __syncthreads();
  const uint32_t at = base + (threadIdx.x / 32 << 21);
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(at), "r"(x[threadIdx.x]));
  asm volatile("tcgen05.wait::st.sync.aligned;");
  uint32_t v;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(v) : "r"(at));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  y[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(base));
}
