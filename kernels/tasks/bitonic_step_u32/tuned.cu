// One step of a sorting network: a thread has ITEMS vectors of pairs, a block's width apart, all loaded before the
// first is put in order. Where the distance is no whole number of vectors, pairs are taken one by one.
#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void step(unsigned* key, int pairs, int distance, int runs) {
  constexpr int kItems = ITEMS * VEC / N;
  const int first = blockIdx.x * BLOCK * kItems + threadIdx.x;
  Vector<unsigned, N> a[kItems], b[kItems];
  unsigned* low[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int p = (first + i * BLOCK) * N;
    if (p >= pairs) break;
    low[i] = key + p / distance * 2LL * distance + p % distance;
    a[i] = load<N>(low[i]);
    b[i] = load<N>(low[i] + distance);
  }
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int p = (first + i * BLOCK) * N;
    if (p >= pairs) break;
    const bool rising = p / distance / runs % 2 == 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const unsigned least = min(a[i].v[j], b[i].v[j]), most = max(a[i].v[j], b[i].v[j]);
      a[i].v[j] = rising ? least : most;
      b[i].v[j] = rising ? most : least;
    }
    store(low[i], a[i]);
    store(low[i] + distance, b[i]);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) bitonic_step_u32(unsigned* key, int pairs, int distance, int runs) {
  if (distance % VEC == 0)
    step<VEC>(key, pairs, distance, runs);
  else
    step<1>(key, pairs, distance, runs);
}
