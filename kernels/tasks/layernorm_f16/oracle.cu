// Layer norm of rows, a row a thread. Errors come from the difference to the mean, from the variance, and from the sum
// with the bias.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void layernorm_f16_oracle(const __half* x, const __half* gain, const __half* bias, double* y,
                                                int rows, int cols, float eps, double* y_scale) {
  each(rows, [&](Count r) {
    const __half* row = x + r * cols;
    double sum = 0, size = 0, squares = 0, lost = 0;
    for (int c = 0; c < cols; ++c) {
      sum += __half2float(row[c]);
      size += fabs(static_cast<double>(__half2float(row[c])));
    }
    const double mean = sum / cols;
    size /= cols;
    for (int c = 0; c < cols; ++c) {
      const double v = __half2float(row[c]), d = v - mean;
      squares += d * d;
      lost += d * d + fabs(d) * (fabs(v) + size);
    }
    const double below = squares / cols + eps, scale = 1 / sqrt(below);
    lost = (lost / cols + size * size * 0x1p-24) / below;  // of the variance, relative
    for (int c = 0; c < cols; ++c) {
      const double v = __half2float(row[c]), g = __half2float(gain[c]), b = __half2float(bias[c]), d = v - mean;
      y[r * cols + c] = d * scale * g + b;
      y_scale[r * cols + c] = at_least(fabs(g) * scale * (fabs(v) + size + fabs(d) * lost) + fabs(b));
    }
  });
}
