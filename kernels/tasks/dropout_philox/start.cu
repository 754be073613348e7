// Dropout, four neighbouring elements a thread.
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

extern "C" __global__ void dropout_philox(const float* __restrict__ x, float* __restrict__ y, int n, unsigned threshold,
                                          float scale, unsigned seed) {
  const int t = blockIdx.x * 256 + threadIdx.x;
  const uint4 r = philox(t, seed);
  const unsigned draw[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (4 * t + j < n) y[4 * t + j] = draw[j] < threshold ? scale * x[4 * t + j] : 0.0f;
}
