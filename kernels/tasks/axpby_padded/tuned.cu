// z = alpha x + beta y. A thread has VEC columns of ROWS rows, TY apart. Where a row of any of the three does not begin
// at a whole vector, its columns are taken one by one.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(TX* TY)
    axpby_padded(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ z, int rows, int cols,
                 int pitch_x, int pitch_y, float alpha, float beta) {
  const int r0 = blockIdx.y * TY * ROWS + threadIdx.y;
  if ((cols | pitch_x | pitch_y) % VEC == 0) {
    const int c = (blockIdx.x * TX + threadIdx.x) * VEC;
    if (c >= cols) return;
    Vector<float, VEC> a[ROWS], b[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
      if (r0 + i * TY < rows) {
        a[i] = load<VEC>(x + (r0 + i * TY) * pitch_x + c);
        b[i] = load<VEC>(y + (r0 + i * TY) * pitch_y + c);
      }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
      if (r0 + i * TY < rows) {
#pragma unroll
        for (int j = 0; j < VEC; ++j) a[i].v[j] = alpha * a[i].v[j] + beta * b[i].v[j];
        store(z + (r0 + i * TY) * cols + c, a[i]);
      }
  } else {
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
      for (int j = 0; j < VEC; ++j) {
        const int r = r0 + i * TY, c = (blockIdx.x * VEC + j) * TX + threadIdx.x;
        if (r < rows && c < cols) z[r * cols + c] = alpha * x[r * pitch_x + c] + beta * y[r * pitch_y + c];
      }
  }
}
