// Largest element of one row a block: each thread's own first, then shuffles and shared memory.
__device__ bool before(float v, int i, float w, int j) {
  const bool v_nan = v != v, w_nan = w != w;
  if (v_nan || w_nan) return v_nan && (!w_nan || i < j);
  return v > w || (v == w && i < j);
}

extern "C" __global__ void argmax_rows(const float* __restrict__ x, float* __restrict__ value, int* __restrict__ index,
                                       int rows, int cols) {
  __shared__ float values[8];
  __shared__ int places[8];
  const float* row = x + blockIdx.x * cols;
  float best = row[0];
  int at = 0;
  for (int i = threadIdx.x; i < cols; i += 256)
    if (before(row[i], i, best, at)) best = row[i], at = i;
  for (int d = 16; d; d >>= 1) {
    const float v = __shfl_xor_sync(0xffffffffu, best, d);
    const int i = __shfl_xor_sync(0xffffffffu, at, d);
    if (before(v, i, best, at)) best = v, at = i;
  }
  if (threadIdx.x % 32 == 0) values[threadIdx.x / 32] = best, places[threadIdx.x / 32] = at;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k)
      if (before(values[k], places[k], best, at)) best = values[k], at = places[k];
    value[blockIdx.x] = best;
    index[blockIdx.x] = at;
  }
}
