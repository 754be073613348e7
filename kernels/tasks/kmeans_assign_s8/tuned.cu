// Nearest centre: POINTS points a thread, TILE centres at a time in shared memory. WORDS 4: dimensions come 16 at a
// time where they are a multiple of that.
#include "../tuned.cuh"

template <int N>
__device__ __forceinline__ void nearest(const int* x, const int* centre, int* index, int* distance, int n, int centres,
                                        int words) {
  __shared__ __align__(16) int tile[TILE][32];
  __shared__ int squares[TILE];
  const int first = blockIdx.x * BLOCK * POINTS + threadIdx.x;
  const int* point[POINTS];
  int own[POINTS] = {}, best[POINTS], at[POINTS] = {};
#pragma unroll
  for (int i = 0; i < POINTS; ++i) {
    point[i] = x + static_cast<long long>(min(first + i * BLOCK, n - 1)) * words;
    best[i] = 0x7fffffff;
    for (int w = 0; w < words; ++w) own[i] = __dp4a(point[i][w], point[i][w], own[i]);
  }
  for (int c0 = 0; c0 < centres; c0 += TILE) {
    const int here = min(TILE, centres - c0);
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * words; i += BLOCK)
      tile[i / words][i % words] = i < here * words ? centre[c0 * words + i] : 0;
    __syncthreads();
    if (threadIdx.x < here) {
      int sum = 0;
      for (int w = 0; w < words; ++w) sum = __dp4a(tile[threadIdx.x][w], tile[threadIdx.x][w], sum);
      squares[threadIdx.x] = sum;
    }
    __syncthreads();
    // Eight centres at a time: each word of a point is loaded once for them.
    for (int c1 = 0; c1 < here; c1 += 8) {
      int dot[POINTS][8] = {};
      for (int w = 0; w < words; w += N) {
        Vector<int, N> v[POINTS];
#pragma unroll
        for (int i = 0; i < POINTS; ++i) v[i] = load<N>(point[i] + w);
#pragma unroll
        for (int c = 0; c < 8; ++c) {
          const auto u = load<N>(&tile[c1 + c][w]);
#pragma unroll
          for (int i = 0; i < POINTS; ++i)
#pragma unroll
            for (int j = 0; j < N; ++j) dot[i][c] = __dp4a(v[i].v[j], u.v[j], dot[i][c]);
        }
      }
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        if (c1 + c >= here) break;
#pragma unroll
        for (int i = 0; i < POINTS; ++i) {
          const int apart = own[i] - 2 * dot[i][c] + squares[c1 + c];
          if (apart < best[i]) best[i] = apart, at[i] = c0 + c1 + c;
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < POINTS; ++i) {
    const int p = first + i * BLOCK;
    if (p < n) {
      index[p] = at[i];
      distance[p] = best[i];
    }
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    kmeans_assign_s8(const int* __restrict__ x, const int* __restrict__ centre, int* __restrict__ index,
                     int* __restrict__ distance, int n, int centres, int dims) {
  if (dims / 4 % WORDS == 0)
    nearest<WORDS>(x, centre, index, distance, n, centres, dims / 4);
  else
    nearest<1>(x, centre, index, distance, n, centres, dims / 4);
}
