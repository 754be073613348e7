// Exclusive sums along rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void scan_exclusive_f32_oracle(const float* x, double* y, int rows, int cols, double* y_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int c = 0; c < cols; ++c) {
      y[r * cols + c] = sum;
      y_scale[r * cols + c] = at_least(size);
      sum += x[r * cols + c];
      size += fabs(static_cast<double>(x[r * cols + c]));
    }
  });
}
