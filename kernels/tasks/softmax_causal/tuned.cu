// Causal softmax: THREADS threads a row, ROWS rows a block, VEC scores a load; the maximum and the sum in one pass.
#include <cmath>

#include "../tuned.cuh"

// exp(a − b), also where both are infinite and alike in a part that has seen nothing yet.
__device__ __forceinline__ float shrink(float a, float b) { return a == b ? 1.0f : expf(a - b); }

struct Part {
  float top, sum;
};
struct Join {
  __device__ Part operator()(Part a, Part b) const {
    const float top = fmaxf(a.top, b.top);
    return {top, a.sum * shrink(a.top, top) + b.sum * shrink(b.top, top)};
  }
};

template <int N>
__device__ __forceinline__ void row_of(const float* row, float* out, int i, int n, float scale, Part* parts,
                                       bool inside) {
  const int t = threadIdx.x;
  Part own{-INFINITY, 0.0f};
  auto take = [&](float v) {
    v *= scale;
    if (v > own.top) {
      own.sum *= expf(own.top - v);
      own.top = v;
    }
    if (v != -INFINITY) own.sum += expf(v - own.top);  // else nothing, also where all so far were
  };
  const int vectors = (i + 1) / N;
#pragma unroll 2
  for (int k = t; k < vectors; k += THREADS) {
    const auto v = load<N>(row + k * N);
#pragma unroll
    for (int j = 0; j < N; ++j) take(v.v[j]);
  }
  if (t < i + 1 - vectors * N) take(row[vectors * N + t]);
#pragma unroll
  for (int d = (THREADS < 32 ? THREADS : 32) / 2; d > 0; d /= 2)
    own = Join()(own, {__shfl_xor_sync(~0u, own.top, d), __shfl_xor_sync(~0u, own.sum, d)});
  if constexpr (THREADS > 32) {
    if (t % 32 == 0) parts[t / 32] = own;
    __syncthreads();
    own = parts[0];
#pragma unroll
    for (int w = 1; w < THREADS / 32; ++w) own = Join()(own, parts[w]);
  }
  if (!inside) return;
  const float share = 1.0f / own.sum;
  for (int k = t * N; k < n; k += THREADS * N) {
    Vector<float, N> v;
    if (k + N <= i + 1) v = load<N>(row + k);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (k + N > i + 1) v.v[j] = k + j <= i ? row[k + j] : 0.0f;
      v.v[j] = k + j <= i ? expf(v.v[j] * scale - own.top) * share : 0.0f;
    }
    store(out + k, v);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    softmax_causal(const float* __restrict__ x, float* __restrict__ y, int heads, int n, float scale) {
  __shared__ Part parts[ROWS][(THREADS + 31) / 32];
  const int r = blockIdx.x * ROWS + threadIdx.y, i = min(r, n - 1);
  const long long at = (static_cast<long long>(blockIdx.y) * n + i) * n;
  if (n % VEC == 0)
    row_of<VEC>(x + at, y + at, i, n, scale, parts[threadIdx.y], r < n);
  else
    row_of<1>(x + at, y + at, i, n, scale, parts[threadIdx.y], r < n);
}
