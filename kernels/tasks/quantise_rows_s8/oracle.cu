// Quantisation of rows, a row a thread, with the roundings that the task names.
#include "../oracle.cuh"

extern "C" __global__ void quantise_rows_s8_oracle(const float* x, signed char* q, double* scale, int rows, int cols,
                                                   double* scale_scale) {
  each(rows, [&](Count r) {
    float top = 0;
    for (int c = 0; c < cols; ++c) top = fmaxf(top, fabsf(x[r * cols + c]));
    scale[r] = top / 127.0;
    scale_scale[r] = at_least(scale[r]);
    const float s = top > 0 ? __fdiv_rn(127.0f, top) : 0.0f;
    for (int c = 0; c < cols; ++c) {
      const float product = __fmul_rn(x[r * cols + c], s);
      const double rounded = isnan(product) ? 0 : rint(static_cast<double>(product));
      q[r * cols + c] = static_cast<signed char>(fmin(127.0, fmax(-127.0, rounded)));
    }
  });
}
