// Sums of columns, a column a thread.
#include "../oracle.cuh"

extern "C" __global__ void column_sum_f32_oracle(const float* x, double* y, int rows, int cols, double* y_scale) {
  each(cols, [&](Count c) {
    double sum = 0, size = 0;
    for (int r = 0; r < rows; ++r) {
      const double v = x[Count{r} * cols + c];
      sum += v;
      size += fabs(v);
    }
    y[c] = sum;
    y_scale[c] = at_least(size);
  });
}
