// Gradient of the layer norm of one row a block: two sums in one pass, then the result.
extern "C" __global__ void layernorm_backward(const float* __restrict__ x, const float* __restrict__ dy,
                                              const float* __restrict__ gain, const float* __restrict__ mean,
                                              const float* __restrict__ rstd, float* __restrict__ dx, int rows,
                                              int cols) {
  __shared__ float part[2][8];
  const int first = blockIdx.x * cols;
  const float middle = mean[blockIdx.x], scale = rstd[blockIdx.x];
  float a = 0, b = 0;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float g = dy[first + i] * gain[i];
    a += g;
    b += g * ((x[first + i] - middle) * scale);
  }
  for (int d = 16; d; d >>= 1) {
    a += __shfl_xor_sync(0xffffffffu, a, d);
    b += __shfl_xor_sync(0xffffffffu, b, d);
  }
  if (threadIdx.x % 32 == 0) part[0][threadIdx.x / 32] = a, part[1][threadIdx.x / 32] = b;
  __syncthreads();
  a = b = 0;
  for (int i = 0; i < 8; ++i) a += part[0][i], b += part[1][i];
  a /= cols;
  b /= cols;
  for (int i = threadIdx.x; i < cols; i += 256) {
    const float h = (x[first + i] - middle) * scale;
    dx[first + i] = scale * (dy[first + i] * gain[i] - a - h * b);
  }
}
