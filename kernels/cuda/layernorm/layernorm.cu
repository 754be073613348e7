// Layer norm of one row a warp: mean and variance by Welford's update, merged by shuffles.
extern "C" __global__ void layernorm(const float* __restrict__ x, const float* __restrict__ gain,
                                     const float* __restrict__ bias, float* __restrict__ y, int rows,
                                     int cols, float eps) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float mean = 0, m2 = 0, count = 0;
  for (int i = lane; i < cols; i += 32) {
    const float v = x[row * cols + i], delta = v - mean;
    count += 1;
    mean += delta / count;
    m2 += delta * (v - mean);
  }
  for (int d = 16; d; d >>= 1) {
    const float other_mean = __shfl_xor_sync(0xffffffffu, mean, d);
    const float other_m2 = __shfl_xor_sync(0xffffffffu, m2, d);
    const float other_count = __shfl_xor_sync(0xffffffffu, count, d);
    const float total = count + other_count, delta = other_mean - mean;
    if (total > 0) {
      m2 += other_m2 + delta * delta * count * other_count / total;
      mean = (mean * count + other_mean * other_count) / total;
    }
    count = total;
  }
  const float scale = rsqrtf(m2 / cols + eps);
  for (int i = lane; i < cols; i += 32)
    y[row * cols + i] = (x[row * cols + i] - mean) * scale * gain[i] + bias[i];
}
