// Dot products of pairs of vectors, a pair a thread.
#include <cuda_fp16.h>

#include "../oracle.cuh"

extern "C" __global__ void dot_pairs_f16_oracle(const __half* a, const __half* b, double* out, int pairs, int n,
                                                double* out_scale) {
  each(pairs, [&](Count p) {
    double sum = 0, size = 0;
    for (int i = 0; i < n; ++i) {
      const double product = static_cast<double>(__half2float(a[p * n + i])) * __half2float(b[p * n + i]);
      sum += product;
      size += fabs(product);
    }
    out[p] = sum;
    out_scale[p] = at_least(size);
  });
}
