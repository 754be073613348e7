// Step of the heat equation: a thread has PX neighbouring columns and goes down PY rows, with three rows in registers.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(TX* TY)
    stencil2d_heat(const float* __restrict__ x, float* __restrict__ y, int height, int width, float k) {
  const int c0 = (blockIdx.x * TX + threadIdx.x) * PX, r0 = (blockIdx.y * TY + threadIdx.y) * PY;
  if (c0 >= width || r0 >= height) return;
  const bool whole = width % PX == 0;
  Vector<float, PX> line[3];
  auto read = [&](int r) {
    Vector<float, PX> v = {};
    if (r < 0 || r >= height) return v;
    if (whole) return load<PX>(x + r * width + c0);
#pragma unroll
    for (int j = 0; j < PX; ++j)
      if (c0 + j < width) v.v[j] = x[r * width + c0 + j];
    return v;
  };
  line[0] = read(r0 - 1);
  line[1] = read(r0);
#pragma unroll
  for (int i = 0; i < PY; ++i) {
    const int r = r0 + i;
    if (r >= height) break;
    line[(i + 2) % 3] = read(r + 1);
    const auto &up = line[i % 3], &here = line[(i + 1) % 3], &down = line[(i + 2) % 3];
    const float left = c0 > 0 ? x[r * width + c0 - 1] : 0.0f;
    const float right = c0 + PX < width ? x[r * width + c0 + PX] : 0.0f;
    Vector<float, PX> out;
#pragma unroll
    for (int j = 0; j < PX; ++j) {
      const float a = j == 0 ? left : here.v[j > 0 ? j - 1 : 0],
                  b = j == PX - 1 ? right : here.v[j < PX - 1 ? j + 1 : j];
      const bool edge = r == 0 || r == height - 1 || c0 + j == 0 || c0 + j == width - 1;
      out.v[j] = edge ? here.v[j] : here.v[j] + k * (up.v[j] + down.v[j] + a + b - 4.0f * here.v[j]);
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
