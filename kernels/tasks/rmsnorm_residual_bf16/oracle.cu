// Sum with the residual and RMS norm, a row a thread.
#include <cuda_bf16.h>

#include "../oracle.cuh"

extern "C" __global__ void rmsnorm_residual_bf16_oracle(const __nv_bfloat16* x, const __nv_bfloat16* residual,
                                                        const __nv_bfloat16* gain, double* sum, double* y, int rows,
                                                        int cols, float eps, double* sum_scale, double* y_scale) {
  each(rows, [&](Count r) {
    double squares = 0;
    auto rounded = [&](int c) -> double {
      return __bfloat162float(
          __float2bfloat16_rn(__bfloat162float(x[r * cols + c]) + __bfloat162float(residual[r * cols + c])));
    };
    for (int c = 0; c < cols; ++c) squares += rounded(c) * rounded(c);
    const double scale = 1 / sqrt(in_f32(squares) / cols + eps);
    for (int c = 0; c < cols; ++c) {
      const double a = __bfloat162float(x[r * cols + c]), b = __bfloat162float(residual[r * cols + c]);
      const double g = __bfloat162float(gain[c]);
      sum[r * cols + c] = a + b;
      sum_scale[r * cols + c] = at_least(a + b);
      y[r * cols + c] = rounded(c) * scale * g;
      // The product with the first factor may be subnormal.
      y_scale[r * cols + c] = at_least(fmax(fabs(rounded(c) * scale), static_cast<double>(FLT_MIN)) * fabs(g));
    }
  });
}
