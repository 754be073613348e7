// Group norm, a group of a sample a block, VEC elements a load; up to HELD vectors of a thread stay in registers
// between the passes.
#include "../tuned.cuh"

extern "C" __global__ void __launch_bounds__(THREADS)
    groupnorm_f32(const float* __restrict__ x, const float* __restrict__ gain, const float* __restrict__ bias,
                  float* __restrict__ y, int samples, int groups, int channels, int pixels, float eps) {
  __shared__ float part[THREADS / 32];
  const int t = threadIdx.x, n = channels * pixels;
  const long long at = (static_cast<long long>(blockIdx.y) * groups + blockIdx.x) * n;
  with_row<VEC, HELD, THREADS>(x + at, n, t, [&](const auto& row) {
    float sum = 0, squares = 0;
    row.each([&](float v, int) { sum += v; });
    const float mean = of_threads<THREADS>(sum, t, part, Plus()) / n;
    row.each([&](float v, int) { squares += (v - mean) * (v - mean); });
    const float scale = rsqrtf(of_threads<THREADS>(squares, t, part, Plus()) / n + eps);
    row.write(y + at, [&](auto v, int i) {
      constexpr int kWidth = sizeof v / sizeof(float);
      const int first = blockIdx.x * channels + i / pixels;
      if (i % pixels + kWidth <= pixels) {
        const float a = gain[first], b = bias[first];
#pragma unroll
        for (int j = 0; j < kWidth; ++j) v.v[j] = (v.v[j] - mean) * scale * a + b;
      } else {
#pragma unroll
        for (int j = 0; j < kWidth; ++j) {
          const int channel = blockIdx.x * channels + (i + j) / pixels;
          v.v[j] = (v.v[j] - mean) * scale * gain[channel] + bias[channel];
        }
      }
      return v;
    });
  });
}
