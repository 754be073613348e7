// Sums along segments of one row a block; see scan.cuh.
#include "../scan.cuh"

// A sum, and whether a mark was met on the way.
struct Part {
  int sum, met;
};
template <>
__device__ __forceinline__ Part lanes_up(Part v, int d) {
  return {__shfl_up_sync(~0u, v.sum, d), __shfl_up_sync(~0u, v.met, d)};
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_segmented_s32(const int* __restrict__ x, const unsigned char* __restrict__ mark, int* __restrict__ y, int rows,
                       int cols) {
  x += static_cast<long long>(blockIdx.x) * cols;
  mark += static_cast<long long>(blockIdx.x) * cols;
  y += static_cast<long long>(blockIdx.x) * cols;
  scan_row(
      cols, Part{0, 0},
      [](Part a, Part b) {
        return Part{b.met ? b.sum : a.sum + b.sum, a.met | b.met};
      },
      [&](int i) {
        return Part{x[i], mark[i] == 0};
      },
      [](Part, Part with) { return with; }, [&](int i, Part r) { y[i] = r.sum; });
}
