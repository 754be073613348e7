// Batcher's bitonic network over one segment a block, in shared memory.
extern "C" __global__ void sort_segments_u32(const unsigned* __restrict__ x, unsigned* __restrict__ y, int segments) {
  __shared__ unsigned keys[1024];
  const long long first = blockIdx.x * 1024LL;
  for (int i = threadIdx.x; i < 1024; i += 256) keys[i] = x[first + i];
  for (int size = 2; size <= 1024; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (int pair = threadIdx.x; pair < 512; pair += 256) {
        const int low = 2 * pair - (pair & (distance - 1)), high = low + distance;
        const unsigned a = keys[low], b = keys[high];
        if ((a > b) == ((low & size) == 0)) keys[low] = b, keys[high] = a;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 256) y[first + i] = keys[i];
}
