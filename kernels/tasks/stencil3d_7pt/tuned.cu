// Seven-point stencil: a thread has PX neighbouring columns and goes along CHUNK planes with three of them in
// registers.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(TX* TY) stencil3d_7pt(const float* __restrict__ x, float* __restrict__ y,
                                                                   int depth, int height, int width, float a, float b) {
  const int c0 = (blockIdx.x * TX + threadIdx.x) * PX, r = blockIdx.y * TY + threadIdx.y, z0 = blockIdx.z * CHUNK;
  if (c0 >= width || r >= height) return;
  const bool whole = width % PX == 0;
  const long long plane = static_cast<long long>(height) * width;
  // `inside`: whether there is such a row at all.
  auto read = [&](const float* row, bool inside) {
    Vector<float, PX> v = {};
    if (!inside) return v;
    if (whole) return load<PX>(row);
#pragma unroll
    for (int j = 0; j < PX; ++j)
      if (c0 + j < width) v.v[j] = row[j];
    return v;
  };
  long long at = z0 * plane + r * width + c0;
  Vector<float, PX> below = read(x + at - plane, z0 > 0), here = read(x + at, true);
#pragma unroll 2
  for (int z = z0; z < min(z0 + CHUNK, depth); ++z, at += plane) {
    const auto above = read(x + at + plane, z + 1 < depth);
    const auto up = read(x + at - width, r > 0), down = read(x + at + width, r + 1 < height);
    const float left = c0 > 0 ? x[at - 1] : 0.0f, right = c0 + PX < width ? x[at + PX] : 0.0f;
    Vector<float, PX> out;
#pragma unroll
    for (int j = 0; j < PX; ++j) {
      const float p = j == 0 ? left : here.v[j > 0 ? j - 1 : 0],
                  q = j == PX - 1 ? right : here.v[j < PX - 1 ? j + 1 : j];
      const bool edge = z == 0 || z == depth - 1 || r == 0 || r == height - 1 || c0 + j == 0 || c0 + j == width - 1;
      out.v[j] = edge ? here.v[j] : a * here.v[j] + b * (p + q + up.v[j] + down.v[j] + below.v[j] + above.v[j]);
    }
    if (whole) {
      store(y + at, out);
    } else {
#pragma unroll
      for (int j = 0; j < PX; ++j)
        if (c0 + j < width) y[at + j] = out.v[j];
    }
    below = here;
    here = above;
  }
}
