// A sparse matrix in compressed rows times a vector.
//   LANES threads work on a row, ROWS rows one after the other; UNROLL steps of a row's loop at once;
//   BLOCK threads; STREAM: values and columns, which are read once, bypass L1 (1) or are the first to
//   leave the caches (2).
__device__ __forceinline__ float value_of(const float* p) {
#if STREAM == 1
  return __ldcg(p);
#elif STREAM == 2
  return __ldcs(p);
#else
  return *p;
#endif
}
__device__ __forceinline__ int column_of(const int* p) {
#if STREAM == 1
  return __ldcg(p);
#elif STREAM == 2
  return __ldcs(p);
#else
  return *p;
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
spmv_csr(const int* __restrict__ offsets, const int* __restrict__ columns, const float* __restrict__ values,
         const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int lane = threadIdx.x % LANES;
  const int group = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = group * ROWS + r;
    const bool inside = row < rows;
    const int begin = inside ? offsets[row] : 0, end = inside ? offsets[row + 1] : 0;
    float sum[UNROLL] = {};
    int i = begin + lane;
    for (; i + (UNROLL - 1) * LANES < end; i += UNROLL * LANES) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u)
        sum[u] += value_of(values + i + u * LANES) * __ldg(x + column_of(columns + i + u * LANES));
    }
#if UNROLL > 1
    for (; i < end; i += LANES) sum[0] += value_of(values + i) * __ldg(x + column_of(columns + i));
#endif
#pragma unroll
    for (int u = 1; u < UNROLL; ++u) sum[0] += sum[u];
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) sum[0] += __shfl_xor_sync(~0u, sum[0], d);
    if (inside && lane == 0) y[row] = sum[0];
  }
}
