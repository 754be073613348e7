// Gradient of the layer norm of rows: THREADS threads a row, ROWS rows a block. Up to HELD vectors of a thread, of x
// and of dy, stay in registers between the two passes.
#include "../tuned.cuh"

template <int N, int kHeld>
__device__ __forceinline__ void gradient(const float* x, const float* dy, const float* gain, float* dx, int cols,
                                         float middle, float scale, float* part, bool inside) {
  const int t = threadIdx.x;
  Vector<float, N> own[kHeld > 0 ? kHeld : 1], slope[kHeld > 0 ? kHeld : 1];
  float a = 0, b = 0;
  auto add = [&](const Vector<float, N>& v, const Vector<float, N>& d, int c) {
    const auto w = load<N>(gain + c);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float g = d.v[j] * w.v[j];
      a += g;
      b += g * ((v.v[j] - middle) * scale);
    }
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int c = (t + i * THREADS) * N;
    if (c < cols) {
      own[i] = load<N>(x + c);
      slope[i] = load<N>(dy + c);
      add(own[i], slope[i], c);
    }
  }
#pragma unroll 2
  for (int c = (t + kHeld * THREADS) * N; c < cols; c += THREADS * N) add(load<N>(x + c), load<N>(dy + c), c);
  a = of_threads<THREADS>(a, t, part, Plus()) / cols;
  b = of_threads<THREADS>(b, t, part, Plus()) / cols;
  if (!inside) return;
  auto finish = [&](const Vector<float, N>& v, Vector<float, N> d, int c) {
    const auto w = load<N>(gain + c);
#pragma unroll
    for (int j = 0; j < N; ++j) d.v[j] = scale * (d.v[j] * w.v[j] - a - (v.v[j] - middle) * scale * b);
    store(dx + c, d);
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int c = (t + i * THREADS) * N;
    if (c < cols) finish(own[i], slope[i], c);
  }
  for (int c = (t + kHeld * THREADS) * N; c < cols; c += THREADS * N) finish(load<N>(x + c), load<N>(dy + c), c);
}

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    layernorm_backward(const float* __restrict__ x, const float* __restrict__ dy, const float* __restrict__ gain,
                       const float* __restrict__ mean, const float* __restrict__ rstd, float* __restrict__ dx, int rows,
                       int cols) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  float* part = parts[threadIdx.y];
  const int r = blockIdx.x * ROWS + threadIdx.y, own = min(r, rows - 1);
  const long long at = static_cast<long long>(own) * cols;
  if (cols % VEC == 0)
    gradient<VEC, HELD>(x + at, dy + at, gain, dx + at, cols, mean[own], rstd[own], part, r < rows);
  else
    gradient<1, 0>(x + at, dy + at, gain, dx + at, cols, mean[own], rstd[own], part, r < rows);
}
