// y = a x, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void matvec_f32_oracle(const float* a, const float* x, double* y, int rows, int cols,
                                             double* y_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int c = 0; c < cols; ++c) {
      const double product = in_f32(static_cast<double>(a[r * cols + c]) * x[c]);
      sum += product;
      size += fabs(product);
    }
    y[r] = sum;
    y_scale[r] = at_least(size);
  });
}
