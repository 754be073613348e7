// Positive elements of one row a block, BLOCK ITEMS elements at a time: votes over each of a warp's ITEMS rows of 32.
// STAGE: what is kept goes through shared memory first, so that it is stored side by side.
extern "C" __global__ void __launch_bounds__(BLOCK)
    compact_rows(const float* __restrict__ x, float* __restrict__ y, int* __restrict__ count, int rows, int cols) {
  constexpr int kWarps = BLOCK / 32;
  __shared__ int found[kWarps];
#if STAGE
  __shared__ float staged[BLOCK * ITEMS];
#endif
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  x += static_cast<long long>(blockIdx.x) * cols;
  y += static_cast<long long>(blockIdx.x) * cols;
  int kept = 0;
  for (int base = 0; base < cols; base += BLOCK * ITEMS) {
    float v[ITEMS];
    int place[ITEMS], own = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const int c = base + (warp * ITEMS + i) * 32 + lane;
      v[i] = c < cols ? x[c] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const unsigned votes = __ballot_sync(~0u, v[i] > 0);
      place[i] = own + __popc(votes & ((1u << lane) - 1));
      own += __popc(votes);
    }
    if (lane == 0) found[warp] = own;
    __syncthreads();
    int before = 0, all = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      if (w < warp) before += found[w];
      all += found[w];
    }
#if STAGE
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (v[i] > 0) staged[before + place[i]] = v[i];
    __syncthreads();
    for (int i = t; i < all; i += BLOCK) y[kept + i] = staged[i];
#else
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (v[i] > 0) y[kept + before + place[i]] = v[i];
#endif
    kept += all;
    __syncthreads();
  }
  for (int c = kept + t; c < cols; c += BLOCK) y[c] = 0.0f;
  if (t == 0) count[blockIdx.x] = kept;
}
