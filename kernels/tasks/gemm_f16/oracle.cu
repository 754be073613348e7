// c = a b, an element a thread.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void gemm_f16_oracle(const __half* a, const __half* b, double* c, int m, int n, int k,
                                           double* c_scale) {
  each(Count{m} * n, [&](Count e) {
    const Count i = e / n, j = e % n;
    double sum = 0, size = 0;
    for (Count l = 0; l < k; ++l) {
      const double product = static_cast<double>(__half2float(a[i * k + l])) * __half2float(b[l * n + j]);
      sum += product;
      size += fabs(product);
    }
    c[e] = sum;
    c_scale[e] = at_least(size);
  });
}
