// Star stencil of radius 2 on an f32 grid with a border: 4 cells along x (2 are read), 2 along y and z.
// A block computes a tile along x and y, and CHUNK planes along z one after the other; a thread TX cells along x and
// TY along y. METHOD 0: all neighbours from global memory; 1: those along z stay in registers; 2: those of the plane
// come from a tile in shared memory too; 3: from two tiles in turn, with half the barriers.
// Sizes are multiples of the tile.
constexpr int kThreads = BX * BY, kTileX = BX * TX, kTileY = BY * TY, kUnroll = UNROLL;

struct alignas(4 * TX) Vector {
  float v[TX];
};

extern "C" __global__ void __launch_bounds__(kThreads)
    stencil3d(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, float c0, float c1, float c2) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int pitch = nx + 8, plane = pitch * (ny + 4);
  const int x = blockIdx.x * kTileX + tx * TX + 4, y = blockIdx.y * kTileY + ty + 2, z0 = blockIdx.z * CHUNK + 2;
  const float* at = in + z0 * plane + y * pitch + x;
  float* to = out + z0 * plane + y * pitch + x;
  auto load = [&](int dz, int i, int dy) {
    return *reinterpret_cast<const Vector*>(at + dz * plane + (i * BY + dy) * pitch);
  };

#if METHOD >= 2
  const int t = ty * BX + tx;
  __shared__ __align__(16) float tiles[METHOD - 1][kTileY + 4][kTileX + 8];
#endif
#if METHOD >= 1
  // From two planes below to two above.
  Vector column[TY][5];
#pragma unroll
  for (int i = 0; i < TY; ++i)
#pragma unroll
    for (int d = 0; d < 4; ++d) column[i][d + 1] = load(d - 2, i, 0);
#endif
#pragma unroll kUnroll
  for (int z = 0; z < CHUNK; ++z) {
#if METHOD >= 1
#pragma unroll
    for (int i = 0; i < TY; ++i) {
#pragma unroll
      for (int d = 0; d < 4; ++d) column[i][d] = column[i][d + 1];
      column[i][4] = load(2, i, 0);
    }
#endif
#if METHOD >= 2
    auto& tile = tiles[METHOD == 3 ? z % 2 : 0];
    // The middle from registers, the edge from global memory.
#pragma unroll
    for (int i = 0; i < TY; ++i) *reinterpret_cast<Vector*>(&tile[ty + i * BY + 2][tx * TX + 4]) = column[i][2];
    const float* corner = in + (z0 + z) * plane + (blockIdx.y * kTileY + 2) * pitch + blockIdx.x * kTileX + 4;
    for (int i = t; i < 4 * kTileX; i += kThreads) {
      const int row = i / kTileX, dy = row < 2 ? row - 2 : kTileY + row - 2;
      tile[dy + 2][i % kTileX + 4] = corner[dy * pitch + i % kTileX];
    }
    for (int i = t; i < 4 * kTileY; i += kThreads) {
      const int side = i % 4, dx = side < 2 ? side - 2 : kTileX + side - 2;
      tile[i / 4 + 2][dx + 4] = corner[i / 4 * pitch + dx];
    }
    __syncthreads();
#endif
#pragma unroll
    for (int i = 0; i < TY; ++i) {
#if METHOD >= 1
      const Vector &far_below = column[i][0], &below = column[i][1], &here = column[i][2], &above = column[i][3],
                   &far_above = column[i][4];
#else
      const Vector far_below = load(-2, i, 0), below = load(-1, i, 0), here = load(0, i, 0), above = load(1, i, 0),
                   far_above = load(2, i, 0);
#endif
#if METHOD >= 2
      const int own = ty + i * BY + 2;
      auto beside = [&](int dx) { return tile[own][tx * TX + 4 + dx]; };
      auto beyond = [&](int dy) { return *reinterpret_cast<const Vector*>(&tile[own + dy][tx * TX + 4]); };
#else
      auto beside = [&](int dx) { return at[i * BY * pitch + dx]; };
      auto beyond = [&](int dy) { return load(0, i, dy); };
#endif
      float line[TX + 4];
#pragma unroll
      for (int j = 0; j < TX + 4; ++j) line[j] = j < 2 || j >= TX + 2 ? beside(j - 2) : here.v[j - 2];
      const Vector n1 = beyond(-1), n2 = beyond(-2), s1 = beyond(1), s2 = beyond(2);
      Vector result;
#pragma unroll
      for (int j = 0; j < TX; ++j)
        result.v[j] = c0 * here.v[j] + c1 * (line[j + 1] + line[j + 3] + n1.v[j] + s1.v[j] + below.v[j] + above.v[j]) +
                      c2 * (line[j] + line[j + 4] + n2.v[j] + s2.v[j] + far_below.v[j] + far_above.v[j]);
      *reinterpret_cast<Vector*>(to + i * BY * pitch) = result;
    }
    at += plane;
    to += plane;
#if METHOD == 2
    __syncthreads();
#endif
  }
}
