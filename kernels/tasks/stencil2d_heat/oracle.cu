// Step of the heat equation, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void stencil2d_heat_oracle(const float* x, double* y, int height, int width, float k,
                                                 double* y_scale) {
  each(Count{height} * width, [&](Count at) {
    const Count r = at / width, c = at % width;
    const double here = x[at];
    y[at] = here;
    y_scale[at] = at_least(here);
    if (r == 0 || c == 0 || r == height - 1 || c == width - 1) return;
    const double up = x[at - width], down = x[at + width], left = x[at - 1], right = x[at + 1];
    y[at] = here + k * (up + down + left + right - 4 * here);
    y_scale[at] = at_least(fabs(here) + k * (fabs(up) + fabs(down) + fabs(left) + fabs(right) + 4 * fabs(here)));
  });
}
