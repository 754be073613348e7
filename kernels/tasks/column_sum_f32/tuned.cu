// Sums of columns: a block has TX * VEC of them, TY threads each; their sums meet in shared memory.
#include "../tuned.cuh"

constexpr int kUnroll = UNROLL;

template <int N>
__device__ __forceinline__ void add_rows(const float* x, int rows, int cols, int c, float (&sum)[VEC]) {
#pragma unroll kUnroll
  for (int r = threadIdx.y; r < rows; r += TY) {
    if constexpr (N > 1) {
      const auto v = load<N>(x + r * cols + c);
#pragma unroll
      for (int j = 0; j < N; ++j) sum[j] += v.v[j];
    } else {
#pragma unroll
      for (int j = 0; j < VEC; ++j)
        if (c + j < cols) sum[j] += x[r * cols + c + j];
    }
  }
}

extern "C" __global__ void __launch_bounds__(TX* TY)
    column_sum_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  __shared__ float part[TY][TX * VEC + 1];
  const int c = (blockIdx.x * TX + threadIdx.x) * VEC;
  float sum[VEC] = {};
  if (cols % VEC != 0)
    add_rows<1>(x, rows, cols, c, sum);
  else if (c < cols)
    add_rows<VEC>(x, rows, cols, c, sum);
#pragma unroll
  for (int j = 0; j < VEC; ++j) part[threadIdx.y][threadIdx.x * VEC + j] = sum[j];
  __syncthreads();
  for (int i = threadIdx.y * TX + threadIdx.x; i < TX * VEC; i += TX * TY) {
    const int at = blockIdx.x * TX * VEC + i;
    if (at >= cols) break;
    float total = part[0][i];
#pragma unroll
    for (int k = 1; k < TY; ++k) total += part[k][i];
    y[at] = total;
  }
}
