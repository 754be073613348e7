// Inclusive sums along one row a block, 256 elements at a time, by shuffles.
extern "C" __global__ void scan_inclusive_u32(const unsigned* __restrict__ x, unsigned* __restrict__ y, int rows,
                                              int cols) {
  __shared__ unsigned sums[8];
  const int t = threadIdx.x, first = blockIdx.x * cols;
  unsigned carry = 0;
  for (int base = 0; base < cols; base += 256) {
    const int c = base + t;
    unsigned v = c < cols ? x[first + c] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const unsigned up = __shfl_up_sync(0xffffffffu, v, d);
      if (t % 32 >= d) v += up;
    }
    if (t % 32 == 31) sums[t / 32] = v;
    __syncthreads();
    unsigned before = carry;
    for (int w = 0; w < 8; ++w) {
      if (w < t / 32) before += sums[w];
      carry += sums[w];
    }
    if (c < cols) y[first + c] = before + v;
    __syncthreads();
  }
}
