// Residual add and RMSNorm of one row a block; both operands are fp16.
#include <cuda_fp16.h>

constexpr int kThreads = 512;
constexpr int kVectors = 6;  // 16-byte vectors of halves a thread

struct alignas(16) Half8 {
  half2 v[4];
};

__device__ float block_sum(float v) {
  __shared__ float part[kThreads / 32];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
  __syncthreads();
  float total = 0;
  for (int i = 0; i < kThreads / 32; ++i) total += part[i];
  return total;
}

extern "C" __global__ void add_rmsnorm(const Half8* __restrict__ x, const Half8* __restrict__ residual,
                                       Half8* __restrict__ y) {
  const int base = blockIdx.x * kThreads * kVectors + threadIdx.x;
  float sum[kVectors][8];
  float squares = 0;
#pragma unroll
  for (int u = 0; u < kVectors; ++u) {
    const int at = base + u * kThreads;
    const Half8 a = x[at];
    const Half8 r = residual[at];
    float b[8];
    for (int j = 0; j < 4; ++j) {
      const float2 g = __half22float2(r.v[j]);
      b[2 * j] = g.x;
      b[2 * j + 1] = g.y;
    }
    for (int j = 0; j < 4; ++j) {
      const float2 f = __half22float2(a.v[j]);
      sum[u][2 * j] = f.x + b[2 * j];
      sum[u][2 * j + 1] = f.y + b[2 * j + 1];
      squares += sum[u][2 * j] * sum[u][2 * j] + sum[u][2 * j + 1] * sum[u][2 * j + 1];
    }
  }
  const float scale = rsqrtf(block_sum(squares) / (kThreads * kVectors * 8) + 1e-6f);
#pragma unroll
  for (int u = 0; u < kVectors; ++u) {
    Half8 out;
    for (int j = 0; j < 4; ++j)
      out.v[j] = __floats2half2_rn(sum[u][2 * j] * scale, sum[u][2 * j + 1] * scale);
    y[base + u * kThreads] = out;
  }
}
