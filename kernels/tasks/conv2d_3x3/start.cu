// 3 x 3 convolution: a block has 32 x 8 pixels of four outputs, a thread a pixel; of each input a tile with its edge
// and the weights are in shared memory.
extern "C" __global__ void __launch_bounds__(256)
    conv2d_3x3(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int inputs, int outputs,
               int height, int width) {
  __shared__ float tile[10][34], weights[4][9];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
  const int c0 = blockIdx.x * 32, r0 = blockIdx.y * 8, o0 = blockIdx.z * 4;
  float sum[4] = {};
  for (int i = 0; i < inputs; ++i) {
    __syncthreads();
    for (int e = t; e < 340; e += 256) {
      const int r = r0 + e / 34 - 1, c = c0 + e % 34 - 1;
      tile[e / 34][e % 34] = r >= 0 && r < height && c >= 0 && c < width ? x[(i * height + r) * width + c] : 0.0f;
    }
    if (t < 36) weights[t / 9][t % 9] = o0 + t / 9 < outputs ? w[((o0 + t / 9) * inputs + i) * 9 + t % 9] : 0.0f;
    __syncthreads();
    for (int e = 0; e < 9; ++e) {
      const float v = tile[ty + e / 3][tx + e % 3];
      for (int o = 0; o < 4; ++o) sum[o] += v * weights[o][e];
    }
  }
  const int r = r0 + ty, c = c0 + tx;
  if (r < height && c < width)
    for (int o = 0; o < 4; ++o)
      if (o0 + o < outputs) y[((o0 + o) * height + r) * width + c] = sum[o];
}
