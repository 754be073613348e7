// Positive elements of one row a block, 256 elements at a time: votes say how many of a warp come before a lane.
extern "C" __global__ void compact_rows(const float* __restrict__ x, float* __restrict__ y, int* __restrict__ count,
                                        int rows, int cols) {
  __shared__ int found[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, first = blockIdx.x * cols;
  int kept = 0;
  for (int base = 0; base < cols; base += 256) {
    const int c = base + t;
    const float v = c < cols ? x[first + c] : 0.0f;
    const unsigned votes = __ballot_sync(0xffffffffu, v > 0);
    if (lane == 0) found[warp] = __popc(votes);
    __syncthreads();
    int at = kept + __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < 8; ++w) {
      if (w < warp) at += found[w];
      kept += found[w];
    }
    if (v > 0) y[first + at] = v;
    __syncthreads();
  }
  for (int c = kept + t; c < cols; c += 256) y[first + c] = 0.0f;
  if (t == 0) count[blockIdx.x] = kept;
}
