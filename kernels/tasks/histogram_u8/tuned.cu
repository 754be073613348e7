// Byte counts: COPIES private sets of counters a block, in different banks, so that equal values of neighbouring lanes
// do not meet; VEC bytes a load.
constexpr int kStride = 257;

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram_u8(const unsigned char* __restrict__ x, unsigned* bins, int n) {
  __shared__ unsigned counters[COPIES * kStride];
  for (int i = threadIdx.x; i < COPIES * kStride; i += BLOCK) counters[i] = 0;
  __syncthreads();
  unsigned* own = counters + threadIdx.x % COPIES * kStride;
  auto word = [&](unsigned w) {
#pragma unroll
    for (int b = 0; b < 32; b += 8) atomicAdd(&own[w >> b & 255], 1u);
  };
  const int thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK, vectors = n / VEC;
  for (int i = thread; i < vectors; i += threads) {
    if constexpr (VEC == 4) {
      word(reinterpret_cast<const unsigned*>(x)[i]);
    } else {
      const uint4 v = reinterpret_cast<const uint4*>(x)[i];
      word(v.x), word(v.y), word(v.z), word(v.w);
    }
  }
  for (int i = vectors * VEC + thread; i < n; i += threads) atomicAdd(&own[x[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += BLOCK) {
    unsigned sum = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) sum += counters[c * kStride + b];
    if (sum != 0) atomicAdd(&bins[b], sum);
  }
}
