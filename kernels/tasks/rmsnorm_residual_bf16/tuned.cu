// Sum with the residual and RMS norm: THREADS threads a row, ROWS rows a block, VEC elements a load. Up to HELD vectors
// of sums stay in registers; the rest is read back.
#include <cuda_bf16.h>

#include "../tuned.cuh"

using Number = __nv_bfloat16;

template <int N>
__device__ __forceinline__ void norm(const Number* x, const Number* residual, const Number* gain, Number* sum,
                                     Number* y, int cols, float eps, float* part, bool inside) {
  const int t = threadIdx.x;
  Vector<Number, N> held[HELD];
  float squares = 0;
  auto add = [&](int c) {
    auto v = load<N>(x + c);
    const auto w = load<N>(residual + c);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      v.v[j] = __float2bfloat16_rn(__bfloat162float(v.v[j]) + __bfloat162float(w.v[j]));
      squares += __bfloat162float(v.v[j]) * __bfloat162float(v.v[j]);
    }
    if (inside) store(sum + c, v);
    return v;
  };
#pragma unroll
  for (int i = 0; i < HELD; ++i)
    if ((t + i * THREADS) * N < cols) held[i] = add((t + i * THREADS) * N);
  for (int c = (t + HELD * THREADS) * N; c < cols; c += THREADS * N) add(c);
  const float scale = rsqrtf(of_threads<THREADS>(squares, t, part, Plus()) / cols + eps);
  if (!inside) return;
  auto finish = [&](Vector<Number, N> v, int c) {
    const auto g = load<N>(gain + c);
#pragma unroll
    for (int j = 0; j < N; ++j)
      v.v[j] = __float2bfloat16_rn(__bfloat162float(v.v[j]) * scale * __bfloat162float(g.v[j]));
    store(y + c, v);
  };
#pragma unroll
  for (int i = 0; i < HELD; ++i)
    if ((t + i * THREADS) * N < cols) finish(held[i], (t + i * THREADS) * N);
  for (int c = (t + HELD * THREADS) * N; c < cols; c += THREADS * N) finish(load<N>(sum + c), c);
}

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    rmsnorm_residual_bf16(const Number* __restrict__ x, const Number* __restrict__ residual,
                          const Number* __restrict__ gain, Number* sum, Number* __restrict__ y, int rows, int cols,
                          float eps) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  const int r = blockIdx.x * ROWS + threadIdx.y;
  const long long at = static_cast<long long>(min(r, rows - 1)) * cols;
  if (cols % VEC == 0)
    norm<VEC>(x + at, residual + at, gain, sum + at, y + at, cols, eps, parts[threadIdx.y], r < rows);
  else
    norm<1>(x + at, residual + at, gain, sum + at, y + at, cols, eps, parts[threadIdx.y], r < rows);
}
