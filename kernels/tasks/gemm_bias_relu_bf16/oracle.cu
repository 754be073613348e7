// c = relu(a b + bias), an element a thread.
#include <cuda_bf16.h>

#include "../oracle.cuh"

extern "C" __global__ void gemm_bias_relu_bf16_oracle(const __nv_bfloat16* a, const __nv_bfloat16* b, const float* bias,
                                                      double* c, int m, int n, int k, double* c_scale) {
  each(Count{m} * n, [&](Count e) {
    const Count i = e / n, j = e % n;
    double sum = 0, size = 0;
    for (Count l = 0; l < k; ++l) {
      const double product =
          in_f32(static_cast<double>(__bfloat162float(a[i * k + l])) * __bfloat162float(b[l * n + j]));
      sum += product;
      size += fabs(product);
    }
    sum += bias[j];
    c[e] = sum < 0 ? 0 : sum;
    c_scale[e] = at_least(size + fabs(static_cast<double>(bias[j])));
  });
}
