// z = alpha x + beta y; the terms may cancel.
#include "../oracle.cuh"

extern "C" __global__ void axpby_padded_oracle(const float* x, const float* y, double* z, int rows, int cols,
                                               int pitch_x, int pitch_y, float alpha, float beta, double* z_scale) {
  each(Count{rows} * cols, [&](Count i) {
    const Count r = i / cols, c = i % cols;
    const double a = static_cast<double>(alpha) * x[r * pitch_x + c],
                 b = static_cast<double>(beta) * y[r * pitch_y + c];
    z[i] = a + b;
    z_scale[i] = at_least(fabs(a) + fabs(b));
  });
}
