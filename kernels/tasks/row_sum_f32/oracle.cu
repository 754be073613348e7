// Sums of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void row_sum_f32_oracle(const float* x, double* y, int rows, int cols, double* y_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int c = 0; c < cols; ++c) {
      const double v = x[r * cols + c];
      sum += v;
      size += fabs(v);
    }
    y[r] = sum;
    y_scale[r] = at_least(size);
  });
}
