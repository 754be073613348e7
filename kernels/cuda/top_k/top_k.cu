// The four largest of each row: sorted insertion a lane, then a tournament by shuffles.
extern "C" __global__ void top_k(const float* __restrict__ x, float* __restrict__ value,
                                 int* __restrict__ index, int rows, int cols) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float best[4] = {-3.0e38f, -3.0e38f, -3.0e38f, -3.0e38f};
  int at[4] = {-1, -1, -1, -1};
  for (int i = lane; i < cols; i += 32) {
    float v = x[row * cols + i];
    int j = i;
#pragma unroll
    for (int s = 0; s < 4; ++s) {
      if (v > best[s]) {
        const float tv = best[s];
        const int tj = at[s];
        best[s] = v;
        at[s] = j;
        v = tv;
        j = tj;
      }
    }
  }
  for (int s = 0; s < 4; ++s) {
    float v = best[0];
    int j = at[0], owner = lane;
    for (int d = 16; d; d >>= 1) {
      const float ov = __shfl_xor_sync(0xffffffffu, v, d);
      const int oj = __shfl_xor_sync(0xffffffffu, j, d), oo = __shfl_xor_sync(0xffffffffu, owner, d);
      if (ov > v || (ov == v && oo < owner)) {
        v = ov;
        j = oj;
        owner = oo;
      }
    }
    if (lane == 0) {
      value[row * 4 + s] = v;
      index[row * 4 + s] = j;
    }
    if (lane == owner) {
#pragma unroll
      for (int q = 0; q < 3; ++q) {
        best[q] = best[q + 1];
        at[q] = at[q + 1];
      }
      best[3] = -3.0e38f;
    }
  }
}
