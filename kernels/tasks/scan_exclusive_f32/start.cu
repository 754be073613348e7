// Exclusive sums along one row a block, 256 elements at a time, by shuffles. Nothing is subtracted, so that an infinity
// shows only behind its place.
extern "C" __global__ void scan_exclusive_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float sums[8];
  const int t = threadIdx.x, first = blockIdx.x * cols;
  float carry = 0;
  for (int base = 0; base < cols; base += 256) {
    const int c = base + t;
    float v = c < cols ? x[first + c] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
      const float up = __shfl_up_sync(0xffffffffu, v, d);
      if (t % 32 >= d) v += up;
    }
    const float left = __shfl_up_sync(0xffffffffu, v, 1);
    if (t % 32 == 31) sums[t / 32] = v;
    __syncthreads();
    float before = carry;
    for (int w = 0; w < 8; ++w) {
      if (w < t / 32) before += sums[w];
      carry += sums[w];
    }
    if (t % 32 > 0) before += left;
    if (c < cols) y[first + c] = before;
    __syncthreads();
  }
}
