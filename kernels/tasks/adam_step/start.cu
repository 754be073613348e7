// Step of Adam, an element a thread.
extern "C" __global__ void adam_step(const float* __restrict__ p, const float* __restrict__ g,
                                     const float* __restrict__ m, const float* __restrict__ v,
                                     float* __restrict__ p_new, float* __restrict__ m_new, float* __restrict__ v_new,
                                     int n, float rate, float decay, float c1, float c2) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float first = 0.9f * m[i] + 0.1f * g[i];
  const float second = 0.999f * v[i] + 0.001f * g[i] * g[i];
  m_new[i] = first;
  v_new[i] = second;
  p_new[i] = p[i] - rate * (c1 * first / (sqrtf(c2 * second) + 1e-8f) + decay * p[i]);
}
