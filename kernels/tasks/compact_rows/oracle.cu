// Positive elements of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void compact_rows_oracle(const float* x, double* y, int* count, int rows, int cols,
                                               double* y_scale) {
  each(rows, [&](Count r) {
    int kept = 0;
    auto put = [&](int at, double v) {
      y[r * cols + at] = v;
      y_scale[r * cols + at] = at_least(v);
    };
    for (int c = 0; c < cols; ++c)
      if (x[r * cols + c] > 0) put(kept++, x[r * cols + c]);
    for (int c = kept; c < cols; ++c) put(c, 0);
    count[r] = kept;
  });
}
