// Seven-point stencil, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void stencil3d_7pt_oracle(const float* x, double* y, int depth, int height, int width, float a,
                                                float b, double* y_scale) {
  each(Count{depth} * height * width, [&](Count at) {
    const Count plane = Count{height} * width, z = at / plane, r = at / width % height, c = at % width;
    y[at] = x[at];
    y_scale[at] = at_least(x[at]);
    if (z == 0 || r == 0 || c == 0 || z == depth - 1 || r == height - 1 || c == width - 1) return;
    double sum = 0, size = 0;
    for (const Count step : {Count{1}, Count{width}, plane})
      for (const Count to : {at - step, at + step}) {
        sum += x[to];
        size += fabs(static_cast<double>(x[to]));
      }
    y[at] = a * static_cast<double>(x[at]) + b * sum;
    y_scale[at] = at_least(fabs(a * static_cast<double>(x[at])) + b * size);
  });
}
