// Inclusive sums along one row a block; see scan.cuh.
#include "../scan.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_inclusive_u32(const unsigned* __restrict__ x, unsigned* __restrict__ y, int rows, int cols) {
  x += static_cast<long long>(blockIdx.x) * cols;
  y += static_cast<long long>(blockIdx.x) * cols;
  scan_row(
      cols, 0u, [](unsigned a, unsigned b) { return a + b; }, [&](int i) { return x[i]; },
      [](unsigned, unsigned with) { return with; }, [&](int i, unsigned r) { y[i] = r; });
}
