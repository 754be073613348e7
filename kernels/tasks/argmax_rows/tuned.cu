// Largest element of one row a block, VEC elements a load. Values become integers of the same order, so that one 64-bit
// maximum decides by value and then by place.
#include "../tuned.cuh"

// Greater keys for greater values, and of equal values for smaller places. NaN, of either sign, is the greatest.
__device__ __forceinline__ unsigned long long key_of(float v, int place) {
  unsigned bits = __float_as_uint(v == 0.0f ? 0.0f : v);
  bits = v != v ? 0xffffffffu : bits ^ (static_cast<int>(bits) < 0 ? 0xffffffffu : 0x80000000u);
  return static_cast<unsigned long long>(bits) << 32 | ~static_cast<unsigned>(place);
}

struct Later {
  __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return a > b ? a : b; }
};

extern "C" __global__ void __launch_bounds__(THREADS)
    argmax_rows(const float* __restrict__ x, float* __restrict__ value, int* __restrict__ index, int rows, int cols) {
  __shared__ unsigned long long part[THREADS / 32];
  const float* row = x + static_cast<long long>(blockIdx.x) * cols;
  unsigned long long best = 0;
  auto take = [&](float v, int i) { best = Later()(best, key_of(v, i)); };
  if (cols % VEC == 0)
    each_of_row<VEC, UNROLL>(row, cols, threadIdx.x, THREADS, take);
  else
    each_of_row<1, UNROLL>(row, cols, threadIdx.x, THREADS, take);
  best = of_threads<THREADS>(best, threadIdx.x, part, Later());
  if (threadIdx.x == 0) {
    const int at = static_cast<int>(~static_cast<unsigned>(best));
    value[blockIdx.x] = row[at];
    index[blockIdx.x] = at;
  }
}
