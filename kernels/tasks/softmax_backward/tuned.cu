// Gradient of the softmax of rows: THREADS threads a row, ROWS rows a block. Up to HELD vectors of a thread, of both
// inputs, stay in registers between the two passes.
#include "../tuned.cuh"

template <int N, int kHeld>
__device__ __forceinline__ void gradient(const float* y, const float* dy, float* dx, int cols, float* part,
                                         bool inside) {
  const int t = threadIdx.x;
  Vector<float, N> own[kHeld > 0 ? kHeld : 1], slope[kHeld > 0 ? kHeld : 1];
  float sum = 0;
  auto add = [&](const Vector<float, N>& v, const Vector<float, N>& d) {
#pragma unroll
    for (int j = 0; j < N; ++j) sum += v.v[j] * d.v[j];
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int c = (t + i * THREADS) * N;
    if (c < cols) {
      own[i] = load<N>(y + c);
      slope[i] = load<N>(dy + c);
      add(own[i], slope[i]);
    }
  }
#pragma unroll 2
  for (int c = (t + kHeld * THREADS) * N; c < cols; c += THREADS * N) add(load<N>(y + c), load<N>(dy + c));
  sum = of_threads<THREADS>(sum, t, part, Plus());
  if (!inside) return;
  auto finish = [&](const Vector<float, N>& v, Vector<float, N> d, int c) {
#pragma unroll
    for (int j = 0; j < N; ++j) d.v[j] = v.v[j] * (d.v[j] - sum);
    store(dx + c, d);
  };
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int c = (t + i * THREADS) * N;
    if (c < cols) finish(own[i], slope[i], c);
  }
  for (int c = (t + kHeld * THREADS) * N; c < cols; c += THREADS * N) finish(load<N>(y + c), load<N>(dy + c), c);
}

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    softmax_backward(const float* __restrict__ y, const float* __restrict__ dy, float* __restrict__ dx, int rows,
                     int cols) {
  __shared__ float parts[ROWS][(THREADS + 31) / 32];
  const int r = blockIdx.x * ROWS + threadIdx.y;
  const long long at = static_cast<long long>(min(r, rows - 1)) * cols;
  if (cols % VEC == 0)
    gradient<VEC, HELD>(y + at, dy + at, dx + at, cols, parts[threadIdx.y], r < rows);
  else
    gradient<1, 0>(y + at, dy + at, dx + at, cols, parts[threadIdx.y], r < rows);
}
