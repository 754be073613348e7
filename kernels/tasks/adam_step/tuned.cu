// Step of Adam: a thread has ITEMS vectors of VEC elements, a block's width apart.
#include "../tuned.cuh"

__device__ __forceinline__ void step(float& p, float g, float& m, float& v, float rate, float decay, float c1,
                                     float c2) {
  m = 0.9f * m + 0.1f * g;
  v = 0.999f * v + 0.001f * g * g;
  p = p - rate * (c1 * m / (sqrtf(c2 * v) + 1e-8f) + decay * p);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    adam_step(const float* __restrict__ p, const float* __restrict__ g, const float* __restrict__ m,
              const float* __restrict__ v, float* __restrict__ p_new, float* __restrict__ m_new,
              float* __restrict__ v_new, int n, float rate, float decay, float c1, float c2) {
  const int vectors = n / VEC, first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
  Vector<float, VEC> vp[ITEMS], vg[ITEMS], vm[ITEMS], vv[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < vectors) {
      const long long at = (first + i * BLOCK) * static_cast<long long>(VEC);
      vp[i] = load<VEC>(p + at);
      vg[i] = load<VEC>(g + at);
      vm[i] = load<VEC>(m + at);
      vv[i] = load<VEC>(v + at);
    }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * BLOCK < vectors) {
      const long long at = (first + i * BLOCK) * static_cast<long long>(VEC);
#pragma unroll
      for (int j = 0; j < VEC; ++j) step(vp[i].v[j], vg[i].v[j], vm[i].v[j], vv[i].v[j], rate, decay, c1, c2);
      store(p_new + at, vp[i]);
      store(m_new + at, vm[i]);
      store(v_new + at, vv[i]);
    }
  if (VEC > 1 && first < n % VEC) {
    const int i = vectors * VEC + first;
    float a = p[i], b = m[i], c = v[i];
    step(a, g[i], b, c, rate, decay, c1, c2);
    p_new[i] = a;
    m_new[i] = b;
    v_new[i] = c;
  }
}
