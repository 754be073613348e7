// Many small products, an element a thread.
#include "../oracle.cuh"

extern "C" __global__ void gemm_batched_small_oracle(const float* a, const float* x, double* c, int batch, int m, int n,
                                                     int k, double* c_scale) {
  each(Count{batch} * m * n, [&](Count e) {
    const Count b = e / (m * n), i = e / n % m, j = e % n;
    double sum = 0, size = 0;
    for (Count l = 0; l < k; ++l) {
      const double product = in_f32(static_cast<double>(a[(b * m + i) * k + l]) * x[(b * k + l) * n + j]);
      sum += product;
      size += fabs(product);
    }
    c[e] = sum;
    c_scale[e] = at_least(size);
  });
}
