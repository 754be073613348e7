// The eight largest of rows: THREADS threads a row, ROWS rows a block, VEC elements a load. Warps leave their eight in
// shared memory, from which the first warp takes the row's.
#include "../tuned.cuh"

// Greater keys for greater values, and of equal values for smaller places. NaN, of either sign, is the greatest.
__device__ __forceinline__ unsigned long long key_of(float v, int place) {
  unsigned bits = __float_as_uint(v == 0.0f ? 0.0f : v);
  bits = v != v ? 0xffffffffu : bits ^ (static_cast<int>(bits) < 0 ? 0xffffffffu : 0x80000000u);
  return static_cast<unsigned long long>(bits) << 32 | ~static_cast<unsigned>(place);
}

// Puts a key among the best, which are in falling order.
__device__ __forceinline__ void insert(unsigned long long (&best)[8], unsigned long long key) {
  if (key <= best[7]) return;
#pragma unroll
  for (int s = 0; s < 8; ++s) {
    const unsigned long long high = key > best[s] ? key : best[s], low = key > best[s] ? best[s] : key;
    best[s] = high;
    key = low;
  }
}

__device__ __forceinline__ unsigned long long greatest(unsigned long long v) {
#pragma unroll
  for (int d = 16; d; d >>= 1) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffu, v, d);
    v = other > v ? other : v;
  }
  return v;
}

constexpr int kWarps = THREADS / 32;

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    top_k_rows(const float* __restrict__ x, float* __restrict__ value, int* __restrict__ index, int rows, int cols) {
  __shared__ unsigned long long found[ROWS][kWarps * 8];
  const int t = threadIdx.x, r = blockIdx.x * ROWS + threadIdx.y;
  const float* row = x + static_cast<long long>(min(r, rows - 1)) * cols;
  unsigned long long best[8] = {};
  auto take = [&](float v, int i) { insert(best, key_of(v, i)); };
  if (cols % VEC == 0)
    each_of_row<VEC, 1>(row, cols, t, THREADS, take);
  else
    each_of_row<1, 1>(row, cols, t, THREADS, take);
  auto pop = [&](unsigned long long top) {
    if (best[0] != top) return;
#pragma unroll
    for (int q = 0; q < 7; ++q) best[q] = best[q + 1];
    best[7] = 0;
  };
  auto put = [&](int s, unsigned long long top) {
    const int at = static_cast<int>(~static_cast<unsigned>(top));
    value[r * 8 + s] = row[at];
    index[r * 8 + s] = at;
  };
#pragma unroll
  for (int s = 0; s < 8; ++s) {
    const unsigned long long top = greatest(best[0]);
    pop(top);
    if (t % 32 != 0) continue;
    if (kWarps > 1)
      found[threadIdx.y][t / 32 * 8 + s] = top;
    else if (r < rows)
      put(s, top);
  }
  if constexpr (kWarps > 1) {
    __syncthreads();
    if (t >= 32) return;
#pragma unroll
    for (int s = 0; s < 8; ++s) best[s] = 0;
    for (int i = t; i < kWarps * 8; i += 32) insert(best, found[threadIdx.y][i]);
#pragma unroll
    for (int s = 0; s < 8; ++s) {
      const unsigned long long top = greatest(best[0]);
      pop(top);
      if (t == 0 && r < rows) put(s, top);
    }
  }
}
