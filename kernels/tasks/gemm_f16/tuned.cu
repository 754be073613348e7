// c = a b by mma.sync; see gemm16.cuh.
#include <cuda_fp16.h>

#include "../gemm16.cuh"

extern "C" __global__ void __launch_bounds__(gemm16::kThreads)
    gemm_f16(const __half* __restrict__ a, const __half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  extern __shared__ __align__(128) unsigned char stages[];
  gemm16::Sums sum = {};
  gemm16::product(a, b, m, n, k, shared_address(stages), sum, multiply_f16);
  gemm16::each_pair(m, n, sum, [&](int row, int column, float x, float y) {
    *reinterpret_cast<float2*>(c + static_cast<long long>(row) * n + column) = make_float2(x, y);
  });
}
