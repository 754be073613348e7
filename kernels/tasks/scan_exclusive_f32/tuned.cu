// Exclusive sums along one row a block; see scan.cuh.
#include "../scan.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_exclusive_f32(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
  x += static_cast<long long>(blockIdx.x) * cols;
  y += static_cast<long long>(blockIdx.x) * cols;
  scan_row(
      cols, 0.0f, [](float a, float b) { return a + b; }, [&](int i) { return x[i]; },
      [](float before, float) { return before; }, [&](int i, float r) { y[i] = r; });
}
