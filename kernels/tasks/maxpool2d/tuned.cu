// Maxima of 3 x 3 windows of one channel: a thread has PX neighbouring windows and goes down PY rows of them; the row
// that two windows share is read once.
#include <cmath>

#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(TX* TY)
    maxpool2d(const float* __restrict__ x, float* __restrict__ y, int channels, int height, int width) {
  const int c0 = (blockIdx.x * TX + threadIdx.x) * PX, r0 = (blockIdx.y * TY + threadIdx.y) * PY, k = blockIdx.z;
  const int high = (height + 1) / 2, wide = (width + 1) / 2;
  if (r0 >= high || c0 >= wide) return;
  x += static_cast<long long>(k) * height * width;
  y += static_cast<long long>(k) * high * wide;
  const bool whole = width % (2 * PX) == 0;
  // Maxima of three neighbours in a row, for each window.
  auto read = [&](float(&to)[PX], int r) {
    const bool inside = r >= 0 && r < height;
    const float* row = x + r * width;
    float v[2 * PX + 1];
    v[0] = inside && c0 > 0 ? row[2 * c0 - 1] : -INFINITY;
    if (inside && whole) {
      const auto some = load<2 * PX>(row + 2 * c0);
#pragma unroll
      for (int j = 0; j < 2 * PX; ++j) v[j + 1] = some.v[j];
    } else {
#pragma unroll
      for (int j = 0; j < 2 * PX; ++j) v[j + 1] = inside && 2 * c0 + j < width ? row[2 * c0 + j] : -INFINITY;
    }
    // fmaxf of two NaN is one; −∞ takes part so that it does not stay.
#pragma unroll
    for (int j = 0; j < PX; ++j) to[j] = fmaxf(fmaxf(fmaxf(v[2 * j], v[2 * j + 1]), v[2 * j + 2]), -INFINITY);
  };
  float shared_row[PX], own[PX], below[PX];
  read(shared_row, 2 * r0 - 1);
#pragma unroll
  for (int i = 0; i < PY; ++i) {
    const int r = r0 + i;
    if (r >= high) break;
    read(own, 2 * r);
    read(below, 2 * r + 1);
#pragma unroll
    for (int j = 0; j < PX; ++j) {
      if (c0 + j < wide) y[r * wide + c0 + j] = fmaxf(fmaxf(shared_row[j], own[j]), below[j]);
      shared_row[j] = below[j];
    }
  }
}
