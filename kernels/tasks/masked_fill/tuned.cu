// y = mask ? scale * x : fill. A thread has ITEMS vectors of VEC elements under way, a block's width apart.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    masked_fill(const float* __restrict__ x, const unsigned char* __restrict__ mask, float* __restrict__ y, int n,
                float scale, float fill) {
  const int vectors = n / VEC, first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  Vector<float, VEC> v[ITEMS];
  Vector<unsigned char, VEC> m[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < vectors) {
      v[i] = load<VEC>(x + (first + i * BLOCK) * VEC);
      m[i] = load<VEC>(mask + (first + i * BLOCK) * VEC);
    }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < vectors) {
#pragma unroll
      for (int j = 0; j < VEC; ++j) v[i].v[j] = m[i].v[j] ? scale * v[i].v[j] : fill;
      store(y + (first + i * BLOCK) * VEC, v[i]);
    }
  if (VEC > 1 && first < n % VEC) {
    const int i = vectors * VEC + first;
    y[i] = mask[i] ? scale * x[i] : fill;
  }
}
