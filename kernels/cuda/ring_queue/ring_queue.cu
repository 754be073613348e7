// A bounded queue in global memory: acquire and release, system fences, a ticket by atomics.
#include <cuda/atomic>

extern "C" __global__ void ring_queue(int* slots, int* flags, unsigned* tail, int* taken, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned ticket = atomicAdd(tail, 1u);
  slots[ticket] = i * 3 + 1;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[ticket]);
  flag.store(1, cuda::std::memory_order_release);
  __threadfence_system();
  if (flag.load(cuda::std::memory_order_acquire) == 1) taken[ticket] = slots[ticket];
  atomicMax(&taken[n], i);
  atomicCAS(&taken[n + 1], 0, i + 1);
}
