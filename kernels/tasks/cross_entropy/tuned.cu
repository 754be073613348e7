// Cross entropy of one row of logits a block, VEC logits a load. A thread takes UNROLL vectors at a time: their maximum
// first, then their sum, so that the sum so far is scaled once for all of them.
#include <cmath>

#include "../tuned.cuh"

// exp(a − b) of maxima so far; 1 where both have seen nothing but −∞.
__device__ __forceinline__ float shrink(float a, float b) { return a == b ? 1.0f : expf(a - b); }

template <int N>
__device__ __forceinline__ void sum_of(const float* row, int classes, float& top, float& sum) {
  constexpr int kStep = THREADS * N;
  int i = threadIdx.x * N;
  auto take = [&](const auto& v, int n) {
    float high = top;
    for (int u = 0; u < n; ++u)
#pragma unroll
      for (int j = 0; j < N; ++j) high = fmaxf(high, v[u].v[j]);
    sum *= shrink(top, high);
    top = high;
    for (int u = 0; u < n; ++u)
#pragma unroll
      for (int j = 0; j < N; ++j) sum += expf(v[u].v[j] - high);
  };
  for (; i + (UNROLL - 1) * kStep < classes; i += UNROLL * kStep) {
    Vector<float, N> v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) v[u] = load<N>(row + i + u * kStep);
    float high = top;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int j = 0; j < N; ++j) high = fmaxf(high, v[u].v[j]);
    sum *= shrink(top, high);
    top = high;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int j = 0; j < N; ++j) sum += expf(v[u].v[j] - high);
  }
  for (; i < classes; i += kStep) {
    const Vector<float, N> v[1] = {load<N>(row + i)};
    take(v, 1);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    cross_entropy(const float* __restrict__ x, const int* __restrict__ label, float* __restrict__ loss, int rows,
                  int classes) {
  __shared__ float part[THREADS / 32];
  const float* row = x + static_cast<long long>(blockIdx.x) * classes;
  float top = -INFINITY, sum = 0;
  if (classes % VEC == 0)
    sum_of<VEC>(row, classes, top, sum);
  else
    sum_of<1>(row, classes, top, sum);
  const float highest = of_threads<THREADS>(top, threadIdx.x, part, Most());
  sum = of_threads<THREADS>(sum * shrink(top, highest), threadIdx.x, part, Plus());
  if (threadIdx.x == 0) {
    const int wanted = label[blockIdx.x];
    loss[blockIdx.x] = wanted < 0 || wanted >= classes ? 0.0f : logf(sum) + highest - row[wanted];
  }
}
