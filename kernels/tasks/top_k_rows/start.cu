// The eight largest of one row a warp: each lane keeps its own eight, then the greatest of the lanes' first is taken
// eight times. Values become integers of the same order with their places below, so that no two are equal. Greater keys
// for greater values, and of equal values for smaller places. NaN, of either sign, is the greatest.
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

extern "C" __global__ void top_k_rows(const float* __restrict__ x, float* __restrict__ value, int* __restrict__ index,
                                      int rows, int cols) {
  const int r = blockIdx.x * 4 + threadIdx.y;
  if (r >= rows) return;
  const float* row = x + r * cols;
  unsigned long long best[8] = {};
  for (int i = threadIdx.x; i < cols; i += 32) insert(best, key_of(row[i], i));
#pragma unroll
  for (int s = 0; s < 8; ++s) {
    const unsigned long long top = greatest(best[0]);
    if (best[0] == top) {
#pragma unroll
      for (int q = 0; q < 7; ++q) best[q] = best[q + 1];
      best[7] = 0;
    }
    if (threadIdx.x == 0) {
      const int at = static_cast<int>(~static_cast<unsigned>(top));
      value[r * 8 + s] = row[at];
      index[r * 8 + s] = at;
    }
  }
}
