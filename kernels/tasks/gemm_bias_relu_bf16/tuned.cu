// c = relu(a b + bias) by mma.sync; see gemm16.cuh.
#include <cuda_bf16.h>

#include "../gemm16.cuh"

extern "C" __global__ void __launch_bounds__(gemm16::kThreads)
    gemm_bias_relu_bf16(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
                        const float* __restrict__ bias, __nv_bfloat16* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char stages[];
  gemm16::Sums sum = {};
  gemm16::product(a, b, m, n, k, shared_address(stages), sum, multiply_bf16);
  gemm16::each_pair(m, n, sum, [&](int row, int column, float x, float y) {
    const float2 add = *reinterpret_cast<const float2*>(bias + column);
    x += add.x;
    y += add.y;
    *reinterpret_cast<__nv_bfloat162*>(c + static_cast<long long>(row) * n + column) =
        __floats2bfloat162_rn(x < 0.0f ? 0.0f : x, y < 0.0f ? 0.0f : y);
  });
}
