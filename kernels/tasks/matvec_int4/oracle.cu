// 4-bit weights times vector, a row a thread.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void matvec_int4_oracle(const unsigned* q, const __half* scale, const __half* x, double* y,
                                              int rows, int cols, double* y_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int c = 0; c < cols; ++c) {
      const Count at = r * cols + c;
      const int weight = static_cast<int>(q[at / 8] >> (4 * (c % 8)) & 15) - 8;
      const double product = static_cast<double>(__half2float(scale[at / 64])) * weight * __half2float(x[c]);
      sum += product;
      size += fabs(product);
    }
    y[r] = sum;
    y_scale[r] = at_least(size);
  });
}
