// 3 x 3 convolution of one channel: a thread has PX neighbouring columns and goes down PY rows, with the three rows
// that it needs in registers.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(TX* TY)
    depthwise_conv(const float* __restrict__ x, const float* __restrict__ w, const float* __restrict__ bias,
                   float* __restrict__ y, int channels, int height, int width) {
  const int c0 = (blockIdx.x * TX + threadIdx.x) * PX, r0 = (blockIdx.y * TY + threadIdx.y) * PY, k = blockIdx.z;
  if (c0 >= width || r0 >= height) return;
  const long long plane = static_cast<long long>(k) * height * width;
  x += plane;
  y += plane;
  float weight[9];
#pragma unroll
  for (int e = 0; e < 9; ++e) weight[e] = w[k * 9 + e];
  const float add = bias[k];
  const bool whole = width % PX == 0;
  float line[3][PX + 2];
  auto read = [&](float(&to)[PX + 2], int r) {
    const bool inside = r >= 0 && r < height;
    const float* row = x + r * width;
    to[0] = inside && c0 > 0 ? row[c0 - 1] : 0.0f;
    to[PX + 1] = inside && c0 + PX < width ? row[c0 + PX] : 0.0f;
    if (inside && whole) {
      const auto v = load<PX>(row + c0);
#pragma unroll
      for (int j = 0; j < PX; ++j) to[j + 1] = v.v[j];
    } else {
#pragma unroll
      for (int j = 0; j < PX; ++j) to[j + 1] = inside && c0 + j < width ? row[c0 + j] : 0.0f;
    }
  };
  read(line[0], r0 - 1);
  read(line[1], r0);
#pragma unroll
  for (int i = 0; i < PY; ++i) {
    const int r = r0 + i;
    if (r >= height) break;
    read(line[(i + 2) % 3], r + 1);
    Vector<float, PX> out;
#pragma unroll
    for (int j = 0; j < PX; ++j) {
      float sum = add;
#pragma unroll
      for (int dr = 0; dr < 3; ++dr)
#pragma unroll
        for (int dc = 0; dc < 3; ++dc) {
          const int row = r + dr - 1, column = c0 + j + dc - 1;
          // What is outside takes no part, even where the weight is infinite.
          const float product = line[(i + dr) % 3][j + dc] * weight[dr * 3 + dc];
          if (row >= 0 && row < height && column >= 0 && column < width) sum += product;
        }
      out.v[j] = sum;
    }
    if (whole) {
      store(y + r * width + c0, out);
    } else {
#pragma unroll
      for (int j = 0; j < PX; ++j)
        if (c0 + j < width) y[r * width + c0 + j] = out.v[j];
    }
  }
}
