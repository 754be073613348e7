// out = transpose of in, f32. Sizes are multiples of TILE_X and TILE_Y.
// METHOD 0: straight, reads along rows; 1: straight, writes along rows; 2: through a shared tile;
// 3: through a shared tile whose columns are swizzled.
constexpr int kThreads = THREADS_X * THREADS_Y;

struct alignas(4 * VEC) Vector {
  float v[VEC];
};

__device__ int swizzled(int row, int column) { return METHOD == 3 ? column ^ (row / VEC % (TILE_X / VEC) * VEC) : column; }

extern "C" __global__ void __launch_bounds__(kThreads)
    transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  int block_x = blockIdx.x, block_y = blockIdx.y;
  if (ORDER == 1) {  // along diagonals
    block_y = (block_y + block_x) % gridDim.y;
  } else if (ORDER == 2) {  // down columns
    const int b = blockIdx.y * gridDim.x + blockIdx.x;
    block_y = b % gridDim.y;
    block_x = b / gridDim.y;
  }
  const int x0 = block_x * TILE_X, y0 = block_y * TILE_Y;
  const int tx = threadIdx.x, ty = threadIdx.y;
  if constexpr (METHOD == 0) {
#pragma unroll
    for (int y = 0; y < TILE_Y; y += THREADS_Y)
#pragma unroll
      for (int x = 0; x < TILE_X; x += THREADS_X * VEC) {
        const int gx = x0 + x + tx * VEC, gy = y0 + y + ty;
        const Vector v = *reinterpret_cast<const Vector*>(in + gy * columns + gx);
#pragma unroll
        for (int j = 0; j < VEC; ++j) out[(gx + j) * rows + gy] = v.v[j];
      }
  } else if constexpr (METHOD == 1) {
#pragma unroll
    for (int x = 0; x < TILE_X; x += THREADS_Y)
#pragma unroll
      for (int y = 0; y < TILE_Y; y += THREADS_X * VEC) {
        const int gx = x0 + x + ty, gy = y0 + y + tx * VEC;
        Vector v;
#pragma unroll
        for (int j = 0; j < VEC; ++j) v.v[j] = in[(gy + j) * columns + gx];
        *reinterpret_cast<Vector*>(out + gx * rows + gy) = v;
      }
  } else {
    __shared__ __align__(16) float tile[TILE_Y][TILE_X + PAD];
#pragma unroll
    for (int y = 0; y < TILE_Y; y += THREADS_Y)
#pragma unroll
      for (int x = 0; x < TILE_X; x += THREADS_X * VEC) {
        const Vector v = *reinterpret_cast<const Vector*>(in + (y0 + y + ty) * columns + x0 + x + tx * VEC);
#pragma unroll
        for (int j = 0; j < VEC; ++j) tile[y + ty][swizzled(y + ty, x + tx * VEC + j)] = v.v[j];
      }
    __syncthreads();
#pragma unroll
    for (int x = 0; x < TILE_X; x += THREADS_Y)
#pragma unroll
      for (int y = 0; y < TILE_Y; y += THREADS_X * VEC) {
        Vector v;
#pragma unroll
        for (int j = 0; j < VEC; ++j) v.v[j] = tile[y + tx * VEC + j][swizzled(y + tx * VEC + j, x + ty)];
        *reinterpret_cast<Vector*>(out + (x0 + x + ty) * rows + y0 + y + tx * VEC) = v;
      }
  }
}
