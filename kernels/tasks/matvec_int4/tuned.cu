// 4-bit weights times vector: LANES threads a row, WORDS words a load. The nibbles become halves by their bits: 1024 +
// q is a half whose lowest bits are q.
#include <cuda_fp16.h>

#include "../tuned.cuh"

constexpr int kUnroll = UNROLL;

// Weights j and j + 4 of a word, each less 8.
__device__ __forceinline__ float2 weights(unsigned eight, int j) {
  const unsigned bits = (eight >> (4 * j) & 0x000f000fu) | 0x64006400u;
  const __half2 v = __hsub2(*reinterpret_cast<const __half2*>(&bits), __float2half2_rn(1032.0f));
  return __half22float2(v);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    matvec_int4(const unsigned* __restrict__ q, const __half* __restrict__ scale, const __half* __restrict__ x,
                float* __restrict__ y, int rows, int cols) {
  __shared__ float parts[BLOCK / LANES][(LANES + 31) / 32];
  const int r = blockIdx.x * (BLOCK / LANES) + threadIdx.y, words = cols / 8, own = min(r, rows - 1);
  const unsigned* row = q + static_cast<long long>(own) * words;
  const __half* scales = scale + static_cast<long long>(own) * (words / 8);
  float sum = 0;
#pragma unroll kUnroll
  for (int w = threadIdx.x * WORDS; w < words; w += LANES * WORDS) {
    const auto v = load<WORDS>(row + w);
    float part = 0;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
      const auto e = load<8>(x + (w + i) * 8);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float2 pair = weights(v.v[i], j);
        part += pair.x * __half2float(e.v[j]) + pair.y * __half2float(e.v[j + 4]);
      }
    }
    sum += part * __half2float(scales[w / 8]);
  }
  sum = of_threads<LANES>(sum, threadIdx.x, parts[threadIdx.y], Plus());
  if (r < rows && threadIdx.x == 0) y[r] = sum;
}
