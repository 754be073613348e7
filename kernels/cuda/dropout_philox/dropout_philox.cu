// Dropout with a Philox 4x32-10 counter generator: four values a thread.
__device__ uint4 philox(uint4 c, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
    const unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
    c = make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}

extern "C" __global__ void dropout_philox(const float* __restrict__ x, float* __restrict__ y, int n,
                                          float keep, unsigned seed) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 r = philox(make_uint4(t, 0, 0, 0), make_uint2(seed, 0));
  const unsigned draw[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int i = t * 4 + j;
    if (i < n) y[i] = draw[j] * 2.3283064365386963e-10f < keep ? x[i] / keep : 0.0f;
  }
}
