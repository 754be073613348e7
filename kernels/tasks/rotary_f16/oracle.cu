// Rotary embedding, a pair a time.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void rotary_f16_oracle(const __half* x, const float* cos, const float* sin, double* y, int tokens,
                                             int heads, int half, double* y_scale) {
  each(Count{tokens} * heads * half, [&](Count k) {
    const Count i = k % half, t = k / half / heads, at = k / half * 2 * half + i;
    const double a = __half2float(x[at]), b = __half2float(x[at + half]), c = cos[t * half + i], s = sin[t * half + i];
    y[at] = a * c - b * s;
    y[at + half] = b * c + a * s;
    y_scale[at] = at_least(fabs(a * c) + fabs(b * s));
    y_scale[at + half] = at_least(fabs(b * c) + fabs(a * s));
  });
}
