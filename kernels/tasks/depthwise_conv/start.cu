// 3 x 3 convolution of one channel, a pixel a thread.
extern "C" __global__ void depthwise_conv(const float* __restrict__ x, const float* __restrict__ w,
                                          const float* __restrict__ bias, float* __restrict__ y, int channels,
                                          int height, int width) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, k = blockIdx.z;
  if (r >= height || c >= width) return;
  float sum = bias[k];
#pragma unroll
  for (int dr = -1; dr <= 1; ++dr)
#pragma unroll
    for (int dc = -1; dc <= 1; ++dc)
      if (r + dr >= 0 && r + dr < height && c + dc >= 0 && c + dc < width)
        sum += x[(k * height + r + dr) * width + c + dc] * w[k * 9 + (dr + 1) * 3 + dc + 1];
  y[(k * height + r) * width + c] = sum;
}
