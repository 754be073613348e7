// y = a x: LANES threads a row, VEC elements a load, UNROLL loads under way.
#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ float dot(const float* a, const float* x, int cols) {
  float sum[UNROLL] = {};
  int c = threadIdx.x * N;
  for (; c + (UNROLL - 1) * LANES * N < cols; c += UNROLL * LANES * N)
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const auto v = load<N>(a + c + u * LANES * N), w = load<N>(x + c + u * LANES * N);
#pragma unroll
      for (int j = 0; j < N; ++j) sum[u] += v.v[j] * w.v[j];
    }
  for (; c < cols; c += LANES * N) {
    const auto v = load<N>(a + c), w = load<N>(x + c);
#pragma unroll
    for (int j = 0; j < N; ++j) sum[0] += v.v[j] * w.v[j];
  }
#pragma unroll
  for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
  return sum[0];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    matvec_f32(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float parts[BLOCK / LANES][(LANES + 31) / 32];
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.y;
  const float* row = a + static_cast<long long>(min(r, rows - 1)) * cols;
  float sum = cols % VEC == 0 ? dot<VEC>(row, x, cols) : dot<1>(row, x, cols);
  sum = of_threads<LANES>(sum, threadIdx.x, parts[threadIdx.y], Plus());
  if (r < rows && threadIdx.x == 0) y[r] = sum;
}
