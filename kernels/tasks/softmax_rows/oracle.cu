// Softmax of rows, a row a thread. What a difference to the maximum loses grows with it, and its exponential as much
// relative to itself; so does the sum.
#include "../oracle.cuh"

extern "C" __global__ void softmax_rows_oracle(const float* x, double* y, int rows, int cols, double* y_scale) {
  each(rows, [&](Count r) {
    const float* row = x + r * cols;
    double top = -INFINITY, sum = 0, lost = 0;
    for (int c = 0; c < cols; ++c) top = fmax(top, static_cast<double>(row[c]));
    for (int c = 0; c < cols; ++c) {
      const double e = exp(row[c] - top);
      sum += e;
      if (e > 0) lost += e * (top - row[c]);
    }
    for (int c = 0; c < cols; ++c) {
      const double v = exp(row[c] - top) / sum;
      y[r * cols + c] = v;
      y_scale[r * cols + c] = at_least(v * (1 + (top - row[c]) + lost / sum));
    }
  });
}
