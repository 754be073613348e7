// 3 x 3 convolution over channels, zero padding, one output a thread.
extern "C" __global__ void conv2d(const float* __restrict__ x, const float* __restrict__ w,
                                  float* __restrict__ y, int channels, int height, int width) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, o = blockIdx.z;
  if (c >= width) return;
  float sum = 0;
  for (int i = 0; i < channels; ++i)
#pragma unroll
    for (int dr = -1; dr <= 1; ++dr)
#pragma unroll
      for (int dc = -1; dc <= 1; ++dc) {
        const int rr = r + dr, cc = c + dc;
        if (rr >= 0 && rr < height && cc >= 0 && cc < width)
          sum += x[(i * height + rr) * width + cc] * w[((o * channels + i) * 3 + dr + 1) * 3 + dc + 1];
      }
  y[(o * height + r) * width + c] = sum;
}
