// Gradient of the softmax of one row a block: a dot product, then the result.
__device__ float block_sum(float v, float* part) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 8; ++i) v += part[i];
  return v;
}

extern "C" __global__ void softmax_backward(const float* __restrict__ y, const float* __restrict__ dy,
                                            float* __restrict__ dx, int rows, int cols) {
  __shared__ float part[8];
  const int first = blockIdx.x * cols;
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += 256) sum += y[first + i] * dy[first + i];
  sum = block_sum(sum, part);
  for (int i = threadIdx.x; i < cols; i += 256) dx[first + i] = y[first + i] * (dy[first + i] - sum);
}
