// Rows of a table by index: a thread has ITEMS vectors of the result, a block's width apart: first all indices, then
// all elements.
#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void gather(const float* table, const int* index, float* y, int n, int width) {
  constexpr int kItems = ITEMS * VEC / N;
  const int pieces = width / N, vectors = n * pieces, first = blockIdx.x * BLOCK * kItems + threadIdx.x;
  int row[kItems];
  Vector<float, N> v[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors) row[i] = index[(first + i * BLOCK) / pieces];
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors)
      v[i] = load<N>(table + (static_cast<long long>(row[i]) * pieces + (first + i * BLOCK) % pieces) * N);
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors) store(y + static_cast<long long>(first + i * BLOCK) * N, v[i]);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    gather_rows(const float* __restrict__ table, const int* __restrict__ index, float* __restrict__ y, int n,
                int width) {
  if (width % VEC == 0)
    gather<VEC>(table, index, y, n, width);
  else
    gather<1>(table, index, y, n, width);
}
