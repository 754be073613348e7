// Byte histogram: private counters in shared memory, merged with global atomics.
extern "C" __global__ void histogram(const unsigned char* __restrict__ x, unsigned* bins, int n) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&count[x[i]], 1u);
  __syncthreads();
  if (count[threadIdx.x]) atomicAdd(&bins[threadIdx.x], count[threadIdx.x]);
}
