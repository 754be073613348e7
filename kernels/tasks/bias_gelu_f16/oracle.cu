// gelu(x + bias) in the approximation by tanh. Both sums may cancel.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void bias_gelu_f16_oracle(const __half* x, const __half* bias, double* y, int rows, int cols,
                                                double* y_scale) {
  each(Count{rows} * cols, [&](Count i) {
    const double v = __half2float(x[i]), b = __half2float(bias[i % cols]), t = v + b;
    y[i] = 0.5 * t * (1 + tanh(0.7978845608 * (t + 0.044715 * t * t * t)));
    y_scale[i] = at_least(fabs(v) + fabs(b));
  });
}
