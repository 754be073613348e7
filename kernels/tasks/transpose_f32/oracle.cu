// Transpose, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void transpose_f32_oracle(const float* x, double* y, int rows, int cols, double* y_scale) {
  each(Count{rows} * cols, [&](Count e) {
    y[e] = x[e % rows * cols + e / rows];
    y_scale[e] = at_least(y[e]);
  });
}
