// Sums along segments of one row a block, 256 elements at a time: a sum that has met a mark takes nothing from its
// left.
extern "C" __global__ void scan_segmented_s32(const int* __restrict__ x, const unsigned char* __restrict__ mark,
                                              int* __restrict__ y, int rows, int cols) {
  __shared__ int sums[8], marks[8];
  const int t = threadIdx.x, first = blockIdx.x * cols;
  int carry = 0;
  for (int base = 0; base < cols; base += 256) {
    const int c = base + t;
    int v = c < cols ? x[first + c] : 0, met = c < cols && mark[first + c] == 0;
    for (int d = 1; d < 32; d *= 2) {
      const int up = __shfl_up_sync(0xffffffffu, v, d), up_met = __shfl_up_sync(0xffffffffu, met, d);
      if (t % 32 >= d) {
        if (!met) v += up;
        met |= up_met;
      }
    }
    if (t % 32 == 31) sums[t / 32] = v, marks[t / 32] = met;
    __syncthreads();
    int before = carry;
    for (int w = 0; w < 8; ++w) {
      if (w == t / 32) before = carry;
      carry = marks[w] ? sums[w] : carry + sums[w];
    }
    if (c < cols) y[first + c] = met ? v : before + v;
    __syncthreads();
  }
}
