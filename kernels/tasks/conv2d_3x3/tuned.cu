// 3 x 3 convolution: a block has TX PX × TY PY pixels of OUT outputs, a thread PX × PY pixels of all of them, TX or TY
// apart.
#include "../tuned.cuh"

constexpr int kWide = TX * PX, kHigh = TY * PY, kThreads = TX * TY;

extern "C" __global__ void __launch_bounds__(kThreads)
    conv2d_3x3(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int inputs, int outputs,
               int height, int width) {
  __shared__ float tile[kHigh + 2][kWide + 2];
  __shared__ __align__(16) float weights[9][OUT];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * TX + tx;
  const int c0 = blockIdx.x * kWide, r0 = blockIdx.y * kHigh, o0 = blockIdx.z * OUT;
  float sum[OUT][PY][PX] = {};
  for (int i = 0; i < inputs; ++i) {
    __syncthreads();
    for (int e = t; e < (kHigh + 2) * (kWide + 2); e += kThreads) {
      const int r = r0 + e / (kWide + 2) - 1, c = c0 + e % (kWide + 2) - 1;
      const bool inside = r >= 0 && r < height && c >= 0 && c < width;
      tile[e / (kWide + 2)][e % (kWide + 2)] = inside ? x[(i * height + r) * width + c] : 0.0f;
    }
    for (int e = t; e < OUT * 9; e += kThreads)
      weights[e % 9][e / 9] = o0 + e / 9 < outputs ? w[((o0 + e / 9) * inputs + i) * 9 + e % 9] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < 9; ++e) {
      float v[PY][PX];
#pragma unroll
      for (int r = 0; r < PY; ++r)
#pragma unroll
        for (int c = 0; c < PX; ++c) v[r][c] = tile[ty + r * TY + e / 3][tx + c * TX + e % 3];
#pragma unroll
      for (int o = 0; o < OUT; o += 4) {
        const auto four = load<4>(&weights[e][o]);
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int r = 0; r < PY; ++r)
#pragma unroll
            for (int c = 0; c < PX; ++c) sum[o + j][r][c] += v[r][c] * four.v[j];
      }
    }
  }
#pragma unroll
  for (int o = 0; o < OUT; ++o)
#pragma unroll
    for (int r = 0; r < PY; ++r)
#pragma unroll
      for (int c = 0; c < PX; ++c) {
        const int row = r0 + ty + r * TY, column = c0 + tx + c * TX;
        if (o0 + o < outputs && row < height && column < width)
          y[((o0 + o) * height + row) * width + column] = sum[o][r][c];
      }
}
