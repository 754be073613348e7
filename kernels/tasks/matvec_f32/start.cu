// y = a x, a row a warp.
extern "C" __global__ void matvec_f32(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y,
                                      int rows, int cols) {
  const int r = blockIdx.x * 8 + threadIdx.y;
  if (r >= rows) return;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += a[r * cols + c] * x[c];
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) y[r] = sum;
}
