// Maxima of 3 x 3 windows of one channel, a window a thread.
#include <cmath>

extern "C" __global__ void maxpool2d(const float* __restrict__ x, float* __restrict__ y, int channels, int height,
                                     int width) {
  const int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, k = blockIdx.z;
  const int high = (height + 1) / 2, wide = (width + 1) / 2;
  if (r >= high || c >= wide) return;
  float top = -INFINITY;
#pragma unroll
  for (int dr = -1; dr <= 1; ++dr)
#pragma unroll
    for (int dc = -1; dc <= 1; ++dc) {
      const int row = 2 * r + dr, column = 2 * c + dc;
      if (row >= 0 && row < height && column >= 0 && column < width)
        top = fmaxf(top, x[(k * height + row) * width + column]);
    }
  y[(k * high + r) * wide + c] = top;
}
