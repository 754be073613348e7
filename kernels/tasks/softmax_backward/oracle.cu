// Gradient of the softmax of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void softmax_backward_oracle(const float* y, const float* dy, double* dx, int rows, int cols,
                                                   double* dx_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int c = 0; c < cols; ++c) {
      const double product = in_f32(static_cast<double>(y[r * cols + c]) * dy[r * cols + c]);
      sum += product;
      size += fabs(product);
    }
    sum = in_f32(sum);
    for (int c = 0; c < cols; ++c) {
      const double v = y[r * cols + c], d = dy[r * cols + c];
      dx[r * cols + c] = v * (d - sum);
      dx_scale[r * cols + c] =
          at_least(fmax(fabs(v), static_cast<double>(FLT_MIN)) * fmax(fabs(d) + size, static_cast<double>(FLT_MIN)));
    }
  });
}
