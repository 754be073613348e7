// Group norm, a group of a sample a block: mean, variance, result, each a pass over the group.
__device__ float block_sum(float v, float* part) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = part[0];
  for (int i = 1; i < 8; ++i) v += part[i];
  return v;
}

extern "C" __global__ void groupnorm_f32(const float* __restrict__ x, const float* __restrict__ gain,
                                         const float* __restrict__ bias, float* __restrict__ y, int samples, int groups,
                                         int channels, int pixels, float eps) {
  __shared__ float part[8];
  const int group = blockIdx.x, n = channels * pixels, first = (blockIdx.y * groups + group) * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += x[first + i];
  const float mean = block_sum(sum, part) / n;
  for (int i = threadIdx.x; i < n; i += 256) squares += (x[first + i] - mean) * (x[first + i] - mean);
  const float scale = rsqrtf(block_sum(squares, part) / n + eps);
  for (int i = threadIdx.x; i < n; i += 256) {
    const int channel = group * channels + i / pixels;
    y[first + i] = (x[first + i] - mean) * scale * gain[channel] + bias[channel];
  }
}
