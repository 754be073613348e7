// Layer norm of rows: THREADS threads a row, ROWS rows a block, VEC halves a load; up to HELD vectors of a thread stay
// in registers between the passes.
#include <cuda_fp16.h>

#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    layernorm_f16(const __half* __restrict__ x, const __half* __restrict__ gain, const __half* __restrict__ bias,
                  __half* __restrict__ y, int rows, int cols, float eps) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  float* part = parts[threadIdx.y];
  const int t = threadIdx.x, r = blockIdx.x * ROWS + threadIdx.y;
  const long long at = static_cast<long long>(min(r, rows - 1)) * cols;
  with_row<VEC, HELD, THREADS>(x + at, cols, t, [&](const auto& row) {
    float sum = 0, squares = 0;
    row.each([&](__half v, int) { sum += __half2float(v); });
    const float mean = of_threads<THREADS>(sum, t, part, Plus()) / cols;
    row.each([&](__half v, int) {
      const float d = __half2float(v) - mean;
      squares += d * d;
    });
    const float scale = rsqrtf(of_threads<THREADS>(squares, t, part, Plus()) / cols + eps);
    if (r < rows)
      row.write(y + at, [&](auto v, int c) {
        constexpr int kWidth = sizeof v / sizeof(__half);
        const auto g = load<kWidth>(gain + c), b = load<kWidth>(bias + c);
#pragma unroll
        for (int j = 0; j < kWidth; ++j)
          v.v[j] = __float2half_rn((__half2float(v.v[j]) - mean) * scale * __half2float(g.v[j]) + __half2float(b.v[j]));
        return v;
      });
  });
}
