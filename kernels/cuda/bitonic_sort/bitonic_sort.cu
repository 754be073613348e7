// Sorts 512 keys with their values in shared memory.
extern "C" __global__ void bitonic_sort(unsigned* key, unsigned* value) {
  __shared__ unsigned k[512], v[512];
  for (int i = threadIdx.x; i < 512; i += 256) {
    k[i] = key[blockIdx.x * 512 + i];
    v[i] = value[blockIdx.x * 512 + i];
  }
  for (int size = 2; size <= 512; size *= 2)
    for (int stride = size / 2; stride; stride /= 2) {
      __syncthreads();
      const int lo = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), hi = lo + stride;
      const bool ascending = (lo & size) == 0;
      if ((k[lo] > k[hi]) == ascending) {
        const unsigned tk = k[lo], tv = v[lo];
        k[lo] = k[hi];
        v[lo] = v[hi];
        k[hi] = tk;
        v[hi] = tv;
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 512; i += 256) {
    key[blockIdx.x * 512 + i] = k[i];
    value[blockIdx.x * 512 + i] = v[i];
  }
}
