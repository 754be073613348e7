// A moving average over a window staged in dynamic shared memory.
extern "C" __global__ void dynamic_shared(const float* __restrict__ x, float* __restrict__ y, int n,
                                          int radius) {
  extern __shared__ float window[];
  const int first = blockIdx.x * blockDim.x - radius;
  for (int j = threadIdx.x; j < blockDim.x + 2 * radius; j += blockDim.x) {
    const int i = first + j;
    window[j] = i >= 0 && i < n ? x[i] : 0.0f;
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j <= 2 * radius; ++j) sum += window[threadIdx.x + j];
  y[i] = sum / (2 * radius + 1);
}
