// Gradient of layer norm, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void layernorm_backward_oracle(const float* x, const float* dy, const float* gain,
                                                     const float* mean, const float* rstd, double* dx, int rows,
                                                     int cols, double* dx_scale) {
  each(rows, [&](Count r) {
    const double middle = mean[r], scale = rstd[r];
    auto g = [&](int c) { return static_cast<double>(dy[r * cols + c]) * gain[c]; };
    auto h = [&](int c) { return (x[r * cols + c] - middle) * scale; };
    auto h_size = [&](int c) { return (fabs(static_cast<double>(x[r * cols + c])) + fabs(middle)) * fabs(scale); };
    double a = 0, b = 0, a_size = 0, b_size = 0;
    for (int c = 0; c < cols; ++c) {
      a += g(c);
      b += g(c) * h(c);
      a_size += fabs(g(c));
      b_size += fabs(g(c)) * h_size(c);
    }
    for (int c = 0; c < cols; ++c) {
      dx[r * cols + c] = scale * (g(c) - a / cols - h(c) * b / cols);
      dx_scale[r * cols + c] = at_least(fabs(scale) * (fabs(g(c)) + a_size / cols + h_size(c) * b_size / cols));
    }
  });
}
