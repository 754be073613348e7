// Mean and variance of rows, a row a thread. A difference loses what x and the mean lose; its square as much relative
// to itself, and what a mean that is off by rounding adds.
#include "../oracle.cuh"

extern "C" __global__ void moments_rows_oracle(const float* x, double* mean, double* variance, int rows, int cols,
                                               double* mean_scale, double* variance_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int c = 0; c < cols; ++c) {
      const double v = x[r * cols + c];
      sum += v;
      size += fabs(v);
    }
    const double middle = sum / cols;
    size /= cols;
    double squares = 0, lost = 0;
    for (int c = 0; c < cols; ++c) {
      const double v = x[r * cols + c], d = v - middle;
      squares += d * d;
      lost += d * d + fabs(d) * (fabs(v) + size);
    }
    mean[r] = middle;
    mean_scale[r] = at_least(size);
    variance[r] = in_f32(squares) / cols;
    variance_scale[r] = at_least(lost / cols + size * size * 0x1p-24);
  });
}
