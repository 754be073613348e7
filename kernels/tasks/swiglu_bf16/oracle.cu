// silu(gate) * value. The exponential has the range of f32, which shows where the value is infinite.
#include <cuda_bf16.h>

#include "../oracle.cuh"

extern "C" __global__ void swiglu_bf16_oracle(const __nv_bfloat16* x, double* y, int rows, int cols, double* y_scale) {
  each(Count{rows} * cols, [&](Count i) {
    const Count r = i / cols, c = i % cols;
    const double gate = __bfloat162float(x[2 * r * cols + c]), value = __bfloat162float(x[(2 * r + 1) * cols + c]);
    y[i] = gate / (1 + in_f32(exp(-gate))) * value;
    y_scale[i] = at_least(fmax(fabs(y[i]), FLT_MIN * fabs(value)));  // the quotient may be subnormal
  });
}
