// Quantisation of rows: THREADS threads a row, ROWS rows a block, VEC elements a load; up to HELD vectors of a thread
// stay in registers between the passes.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    quantise_rows_s8(const float* __restrict__ x, signed char* __restrict__ q, float* __restrict__ scale, int rows,
                     int cols) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  const int t = threadIdx.x, r = blockIdx.x * ROWS + threadIdx.y;
  const long long at = static_cast<long long>(min(r, rows - 1)) * cols;
  with_row<VEC, HELD, THREADS>(x + at, cols, t, [&](const auto& row) {
    float top = 0;
    row.each([&](float v, int) { top = fmaxf(top, fabsf(v)); });
    top = of_threads<THREADS>(top, t, parts[threadIdx.y], Most());
    const float s = top > 0 ? 127.0f / top : 0.0f;
    if (r >= rows) return;
    if (t == 0) scale[r] = top / 127.0f;
    row.write(q + at, [&](const auto& v, int) {
      constexpr int kWidth = sizeof v / sizeof(float);
      Vector<signed char, kWidth> out;
#pragma unroll
      for (int j = 0; j < kWidth; ++j)
        out.v[j] = static_cast<signed char>(min(127, max(-127, __float2int_rn(v.v[j] * s))));
      return out;
    });
  });
}
