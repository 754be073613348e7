// y = mask ? scale * x : fill.
#include "../oracle.cuh"

extern "C" __global__ void masked_fill_oracle(const float* x, const unsigned char* mask, double* y, int n, float scale,
                                              float fill, double* y_scale) {
  each(n, [&](Count i) {
    y[i] = mask[i] ? static_cast<double>(scale) * x[i] : fill;
    y_scale[i] = at_least(y[i]);
  });
}
