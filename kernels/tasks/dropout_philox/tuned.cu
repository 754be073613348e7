// Dropout: a thread has VECTORS vectors of four elements, neighbours (ORDER 1) or a block's width apart.
#include "../tuned.cuh"

// Four random words of a counter: Philox 4x32 with ten rounds (Salmon and others, 2011).
__device__ __forceinline__ uint4 philox(unsigned counter, unsigned seed) {
  uint4 c = make_uint4(counter, 0, 0, 0);
  uint2 key = make_uint2(seed, 0);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    dropout_philox(const float* __restrict__ x, float* __restrict__ y, int n, unsigned threshold, float scale,
                   unsigned seed) {
  auto place = [&](int i) {
    return blockIdx.x * BLOCK * VECTORS + (ORDER ? threadIdx.x * VECTORS + i : threadIdx.x + i * BLOCK);
  };
  Vector<float, 4> v[VECTORS];
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const long long at = place(i) * 4LL;
    if (at + 4 <= n) {
      v[i] = load<4>(x + at);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j) v[i].v[j] = at + j < n ? x[at + j] : 0.0f;
    }
  }
#pragma unroll
  for (int i = 0; i < VECTORS; ++i) {
    const long long at = place(i) * 4LL;
    const uint4 r = philox(place(i), seed);
    v[i].v[0] = r.x < threshold ? scale * v[i].v[0] : 0.0f;
    v[i].v[1] = r.y < threshold ? scale * v[i].v[1] : 0.0f;
    v[i].v[2] = r.z < threshold ? scale * v[i].v[2] : 0.0f;
    v[i].v[3] = r.w < threshold ? scale * v[i].v[3] : 0.0f;
    if (at + 4 <= n) {
      store(y + at, v[i]);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (at + j < n) y[at + j] = v[i].v[j];
    }
  }
}
