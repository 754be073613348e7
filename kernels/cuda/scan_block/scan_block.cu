// Inclusive prefix sum of one block's integers, doubling distances in shared memory.
extern "C" __global__ void scan_block(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int sum[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  sum[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    const int left = t >= d ? sum[t - d] : 0;
    __syncthreads();
    sum[t] += left;
    __syncthreads();
  }
  if (i < n) y[i] = sum[t];
}
