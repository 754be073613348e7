// Inclusive sums along each row of a matrix, one block a row, which goes over it in tiles of
// BLOCK * ITEMS elements and carries the sum on.
//   METHOD: how threads' sums are combined: 0 shuffles and one shared word a warp, 1 shared memory in
//   log2(BLOCK) steps, 2 shared memory, one warp sums for all; LOAD: 0 each thread its own ITEMS
//   elements, 1 the same in 16-byte words, 2 neighbouring threads neighbouring elements, exchanged in
//   shared memory whose rows are PAD words longer.
constexpr int kTile = BLOCK * ITEMS;

#if LOAD == 2
__shared__ unsigned tile[BLOCK * (ITEMS + PAD)];
__device__ __forceinline__ int slot(int i) { return i / ITEMS * (ITEMS + PAD) + i % ITEMS; }
#endif

__device__ __forceinline__ unsigned warp_scan(unsigned v) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const unsigned up = __shfl_up_sync(~0u, v, d);
    if (threadIdx.x % 32 >= d) v += up;
  }
  return v;
}

// The sum over the threads before this one; `total` that over all.
__device__ __forceinline__ unsigned before_me(unsigned mine, unsigned& total) {
#if METHOD == 0
  constexpr int kWarps = BLOCK / 32;
  __shared__ unsigned sums[kWarps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned within = warp_scan(mine);
  if (lane == 31) sums[warp] = within;
  __syncthreads();
  unsigned before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    const unsigned s = sums[w];
    if (w < warp) before += s;
    total += s;
  }
  __syncthreads();
  return before + within - mine;
#elif METHOD == 1
  __shared__ unsigned sums[2][BLOCK];
  int from = 0;
  sums[0][threadIdx.x] = mine;
  __syncthreads();
  for (int d = 1; d < BLOCK; d *= 2) {
    unsigned v = sums[from][threadIdx.x];
    if (threadIdx.x >= d) v += sums[from][threadIdx.x - d];
    from ^= 1;
    sums[from][threadIdx.x] = v;
    __syncthreads();
  }
  total = sums[from][BLOCK - 1];
  const unsigned before = sums[from][threadIdx.x] - mine;
  __syncthreads();
  return before;
#else
  __shared__ unsigned sums[BLOCK + BLOCK / 32];
  sums[threadIdx.x + threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    constexpr int kEach = BLOCK / 32;
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int at = threadIdx.x * kEach + i;
      sum += sums[at + at / 32];
    }
    unsigned run = warp_scan(sum) - sum;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int at = threadIdx.x * kEach + i;
      run += sums[at + at / 32];
      sums[at + at / 32] = run;
    }
  }
  __syncthreads();
  total = sums[BLOCK - 1 + (BLOCK - 1) / 32];
  const unsigned before = sums[threadIdx.x + threadIdx.x / 32] - mine;
  __syncthreads();
  return before;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
scan(const unsigned* __restrict__ x, unsigned* __restrict__ y, int columns) {
  x += size_t{blockIdx.x} * columns;
  y += size_t{blockIdx.x} * columns;
  unsigned carry = 0;
  for (int base = 0; base < columns; base += kTile) {
    unsigned v[ITEMS];
#if LOAD == 0
    const int first = base + threadIdx.x * ITEMS;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] = first + i < columns ? x[first + i] : 0;
#elif LOAD == 1
    const int first = base + threadIdx.x * ITEMS;
    // Rows are whole numbers of 16-byte words.
#pragma unroll
    for (int i = 0; i < ITEMS; i += 4) {
      uint4 w = make_uint4(0, 0, 0, 0);
      if (first + i < columns) w = *reinterpret_cast<const uint4*>(x + first + i);
      v[i] = w.x, v[i + 1] = w.y, v[i + 2] = w.z, v[i + 3] = w.w;
    }
#else
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * BLOCK + threadIdx.x;
      tile[slot(at)] = base + at < columns ? x[base + at] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] = tile[threadIdx.x * (ITEMS + PAD) + i];
#endif
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) v[i] += v[i - 1];
    unsigned total;
    const unsigned before = carry + before_me(v[ITEMS - 1], total);
    carry += total;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] += before;
#if LOAD == 0
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (first + i < columns) y[first + i] = v[i];
#elif LOAD == 1
#pragma unroll
    for (int i = 0; i < ITEMS; i += 4)
      if (first + i < columns)
        *reinterpret_cast<uint4*>(y + first + i) = make_uint4(v[i], v[i + 1], v[i + 2], v[i + 3]);
#else
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) tile[threadIdx.x * (ITEMS + PAD) + i] = v[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * BLOCK + threadIdx.x;
      if (base + at < columns) y[base + at] = tile[slot(at)];
    }
    __syncthreads();
#endif
  }
}
