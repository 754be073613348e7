// Scans along a row by one block, for tuned kernels: tiles of BLOCK × ITEMS elements, one after the other, with what
// came before carried on. EXCHANGE: neighbouring threads load and store neighbouring elements, which are exchanged in
// shared memory; otherwise each thread its own ITEMS. The names in capitals are macros.
#pragma once

// As __shfl_up_sync of a whole warp; structures have an overload of their own.
template <class T>
__device__ __forceinline__ T lanes_up(T v, int d) {
  return __shfl_up_sync(~0u, v, d);
}

// op(a, b): what a and then b come to; `none` changes nothing. element(i): the i-th. put(i, r) stores
// r = result(what comes before element i, that with element i).
template <class T, class Op, class Element, class Pick, class Put>
__device__ __forceinline__ void scan_row(int cols, T none, Op op, Element element, Pick result, Put put) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ T sums[kWarps];
#if EXCHANGE
  __shared__ T tile[BLOCK * (ITEMS + 1)];
  auto slot = [](int i) { return i / ITEMS * (ITEMS + 1) + i % ITEMS; };
#endif
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  T carry = none;
  for (int base = 0; base < cols; base += BLOCK * ITEMS) {
    T v[ITEMS];
#if EXCHANGE
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * BLOCK + t;
      tile[slot(at)] = base + at < cols ? element(base + at) : none;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) v[i] = tile[t * (ITEMS + 1) + i];
#else
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = base + t * ITEMS + i;
      v[i] = at < cols ? element(at) : none;
    }
#endif
    T within = v[0];
#pragma unroll
    for (int i = 1; i < ITEMS; ++i) within = op(within, v[i]);
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const T up = lanes_up(within, d);
      if (lane >= d) within = op(up, within);
    }
    if (lane == 31) sums[warp] = within;
    __syncthreads();
    T before = carry;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      if (w == warp) before = carry;
      carry = op(carry, sums[w]);
    }
    const T left = lanes_up(within, 1);
    if (lane > 0) before = op(before, left);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const T with = op(before, v[i]);
      v[i] = result(before, with);
      before = with;
    }
#if EXCHANGE
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) tile[t * (ITEMS + 1) + i] = v[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = i * BLOCK + t;
      if (base + at < cols) put(base + at, tile[slot(at)]);
    }
#else
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int at = base + t * ITEMS + i;
      if (at < cols) put(at, v[i]);
    }
#endif
    __syncthreads();
  }
}
