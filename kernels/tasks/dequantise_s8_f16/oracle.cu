// Weights of 8 bits times their scales, an element a thread.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void dequantise_s8_f16_oracle(const signed char* q, const __half* scale, double* w, int n,
                                                    double* w_scale) {
  each(n, [&](Count i) {
    w[i] = static_cast<double>(__half2float(scale[i / 32])) * q[i];
    w_scale[i] = at_least(w[i]);
  });
}
