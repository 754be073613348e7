// Rows added to a table: a thread has ITEMS vectors of the rows, a block's width apart, all loaded before the first is
// added.
#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void scatter(const int* x, const int* index, int* table, int n, int width) {
  constexpr int kItems = ITEMS * VEC / N;
  const int pieces = width / N, vectors = n * pieces, first = blockIdx.x * BLOCK * kItems + threadIdx.x;
  int row[kItems];
  Vector<int, N> v[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors) {
      row[i] = index[(first + i * BLOCK) / pieces];
      v[i] = load<N>(x + static_cast<long long>(first + i * BLOCK) * N);
    }
#pragma unroll
  for (int i = 0; i < kItems; ++i)
    if (first + i * BLOCK < vectors) {
      int* to = table + (static_cast<long long>(row[i]) * pieces + (first + i * BLOCK) % pieces) * N;
#pragma unroll
      for (int j = 0; j < N; ++j) atomicAdd(to + j, v[i].v[j]);
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scatter_add_s32(const int* __restrict__ x, const int* __restrict__ index, int* table, int n, int width,
                    int entries) {
  if (width % VEC == 0)
    scatter<VEC>(x, index, table, n, width);
  else
    scatter<1>(x, index, table, n, width);
}
