// c = a b of the factors as they are given, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void gemm_tf32_oracle(const float* a, const float* b, double* c, int m, int n, int k,
                                            double* c_scale) {
  each(Count{m} * n, [&](Count e) {
    const Count i = e / n, j = e % n;
    double sum = 0, size = 0;
    for (Count l = 0; l < k; ++l) {
      const double product = in_f32(static_cast<double>(a[i * k + l]) * b[l * n + j]);
      sum += product;
      size += fabs(product);
    }
    c[e] = sum;
    c_scale[e] = at_least(size);
  });
}
