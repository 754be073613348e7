// Byte counts: private counters in shared memory, added to the bins in the end.
extern "C" __global__ void histogram_u8(const unsigned char* __restrict__ x, unsigned* bins, int n) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&count[x[i]], 1u);
  __syncthreads();
  if (count[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], count[threadIdx.x]);
}
