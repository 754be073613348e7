// Convolution of an f32 image with a 5 x 5 filter; outside of the image is zero. A thread computes TX x TY pixels.
// METHOD 0: every product loads its pixel; 1: a thread loads each pixel of its window once; 2 and 3: the same from
// a tile in shared memory.
// WEIGHTS: 0 loaded at each use, 1 from shared memory, 2 kept in registers.
constexpr int kFilter = 5, kRadius = kFilter / 2, kThreads = THREADS_X * THREADS_Y;
constexpr int kTileX = THREADS_X * TX, kTileY = THREADS_Y * TY;

extern "C" __global__ void __launch_bounds__(kThreads)
    conv2d(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out, int width, int height) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x0 = blockIdx.x * kTileX, y0 = blockIdx.y * kTileY;
  auto pixel = [&](int x, int y) {
    return x >= 0 && x < width && y >= 0 && y < height ? __ldg(in + y * width + x) : 0.0f;
  };
  // Of the thread's pixels in the tile.
  auto column = [&](int j) { return INTERLEAVED ? tx + j * THREADS_X : tx * TX + j; };
  auto row = [&](int i) { return INTERLEAVED ? ty + i * THREADS_Y : ty * TY + i; };

#if METHOD >= 2 || WEIGHTS == 1
  const int t = ty * THREADS_X + tx;
#endif
#if METHOD >= 2
  constexpr int kWidth = kTileX + kFilter - 1, kHeight = kTileY + kFilter - 1;
  __shared__ float tile[kHeight][kWidth];
  for (int i = t; i < kHeight * kWidth; i += kThreads)
    tile[i / kWidth][i % kWidth] = pixel(x0 + i % kWidth - kRadius, y0 + i / kWidth - kRadius);
#endif
#if WEIGHTS == 1
  __shared__ float kept[kFilter * kFilter];
  for (int i = t; i < kFilter * kFilter; i += kThreads) kept[i] = weights[i];
#elif WEIGHTS == 2
  float kept[kFilter * kFilter];
#pragma unroll
  for (int i = 0; i < kFilter * kFilter; ++i) kept[i] = weights[i];
#endif
#if METHOD >= 2 || WEIGHTS == 1
  __syncthreads();
#endif
  // Column and row in the tile with its edge.
  auto value = [&](int x, int y) {
#if METHOD >= 2
    return tile[y][x];
#else
    return pixel(x0 + x - kRadius, y0 + y - kRadius);
#endif
  };
  auto weight = [&](int dy, int dx) {
#if WEIGHTS == 0
    return __ldg(weights + dy * kFilter + dx);
#else
    return kept[dy * kFilter + dx];
#endif
  };

  float sum[TY][TX] = {};
#if METHOD == 1 || METHOD == 3
#pragma unroll
  for (int r = 0; r < TY + kFilter - 1; ++r) {
    float line[TX + kFilter - 1];
#pragma unroll
    for (int j = 0; j < TX + kFilter - 1; ++j) line[j] = value(tx * TX + j, ty * TY + r);
#pragma unroll
    for (int i = 0; i < TY; ++i) {
      const int dy = r - i;
      if (dy < 0 || dy >= kFilter) continue;
#pragma unroll
      for (int dx = 0; dx < kFilter; ++dx)
#pragma unroll
        for (int j = 0; j < TX; ++j) sum[i][j] += weight(dy, dx) * line[j + dx];
    }
  }
#else
  constexpr int kUnroll = UNROLL;
#pragma unroll kUnroll
  for (int dy = 0; dy < kFilter; ++dy)
#pragma unroll kUnroll
    for (int dx = 0; dx < kFilter; ++dx)
#pragma unroll
      for (int i = 0; i < TY; ++i)
#pragma unroll
        for (int j = 0; j < TX; ++j) sum[i][j] += weight(dy, dx) * value(column(j) + dx, row(i) + dy);
#endif
#pragma unroll
  for (int i = 0; i < TY; ++i)
#pragma unroll
    for (int j = 0; j < TX; ++j) {
      const int x = x0 + column(j), y = y0 + row(i);
      if (x < width && y < height) out[y * width + x] = sum[i][j];
    }
}
