// Logarithm of the softmax of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void log_softmax_rows_oracle(const float* x, double* y, int rows, int cols, double* y_scale) {
  each(rows, [&](Count r) {
    const float* row = x + r * cols;
    double top = -INFINITY, sum = 0, lost = 0;
    for (int c = 0; c < cols; ++c) top = fmax(top, static_cast<double>(row[c]));
    for (int c = 0; c < cols; ++c) {
      const double e = exp(row[c] - top);
      sum += e;
      if (e > 0) lost += e * (top - row[c]);
    }
    const double log_sum = log(sum);
    for (int c = 0; c < cols; ++c) {
      y[r * cols + c] = row[c] - top - log_sum;
      y_scale[r * cols + c] = at_least(fabs(static_cast<double>(row[c])) + fabs(top) + log_sum + 1 + lost / sum);
    }
  });
}
