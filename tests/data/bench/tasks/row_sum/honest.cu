// Sums of rows in other ways that are as right, by number: what a judge may not refuse.
extern "C" __global__ void row_sum(const float* x, float* y, int rows, int cols) {
  const int r = blockIdx.x, t = threadIdx.x;
#if HONEST == 1  // one thread after the other's terms
  if (t != 0) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += x[r * cols + c];
  y[r] = sum;
#elif HONEST == 2  // neighbours, and shuffles
  const int each = (cols + 63) / 64;
  float sum = 0;
  for (int c = t * each; c < min(cols, (t + 1) * each); ++c) sum += x[r * cols + c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  __shared__ float part[2];
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t == 0) y[r] = part[0] + part[1];
#elif HONEST == 3  // in double
  __shared__ double part[64];
  double sum = 0;
  for (int c = t; c < cols; c += 64) sum += x[r * cols + c];
  part[t] = sum;
  __syncthreads();
  if (t == 0) {
    double all = 0;
    for (int i = 0; i < 64; ++i) all += part[i];
    y[r] = static_cast<float>(all);
  }
#elif HONEST == 4  // compensated, backwards
  if (t != 0) return;
  float sum = 0, lost = 0;
  for (int c = cols - 1; c >= 0; --c) {
    const float v = x[r * cols + c] - lost, next = sum + v;
    lost = isfinite(next) ? (next - sum) - v : 0.0f;
    sum = next;
  }
  y[r] = sum;
#else  // a count of blocks in the module that is put back: state that is none
  __shared__ float part[64];
  float sum = 0;
  for (int c = t; c < cols; c += 64) sum += x[r * cols + c];
  part[t] = sum;
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < 64; ++i) all += part[i];
    y[r] = all;
    static __device__ unsigned done;
    if (atomicAdd(&done, 1u) + 1 == static_cast<unsigned>(rows)) atomicExch(&done, 0u);
  }
#endif
}
