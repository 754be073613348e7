// Nearest centre of one point a thread; 32 centres at a time are in shared memory. Squares of differences come from
// three dot products of bytes.
extern "C" __global__ void kmeans_assign_s8(const int* __restrict__ x, const int* __restrict__ centre,
                                            int* __restrict__ index, int* __restrict__ distance, int n, int centres,
                                            int dims) {
  __shared__ int tile[32][32], squares[32];
  const int p = blockIdx.x * 128 + threadIdx.x, words = dims / 4;
  const int* point = x + min(p, n - 1) * words;
  int own = 0, best = 0x7fffffff, at = 0;
  for (int w = 0; w < words; ++w) own = __dp4a(point[w], point[w], own);
  for (int c0 = 0; c0 < centres; c0 += 32) {
    const int here = min(32, centres - c0);
    __syncthreads();
    for (int i = threadIdx.x; i < here * words; i += 128) tile[i / words][i % words] = centre[c0 * words + i];
    __syncthreads();
    if (threadIdx.x < here) {
      int sum = 0;
      for (int w = 0; w < words; ++w) sum = __dp4a(tile[threadIdx.x][w], tile[threadIdx.x][w], sum);
      squares[threadIdx.x] = sum;
    }
    __syncthreads();
    for (int c = 0; c < here; ++c) {
      int dot = 0;
      for (int w = 0; w < words; ++w) dot = __dp4a(point[w], tile[c][w], dot);
      const int apart = own - 2 * dot + squares[c];
      if (apart < best) best = apart, at = c0 + c;
    }
  }
  if (p < n) {
    index[p] = at;
    distance[p] = best;
  }
}
