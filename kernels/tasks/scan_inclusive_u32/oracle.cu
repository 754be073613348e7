// Inclusive sums along rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void scan_inclusive_u32_oracle(const unsigned* x, unsigned* y, int rows, int cols) {
  each(rows, [&](Count r) {
    unsigned sum = 0;
    for (int c = 0; c < cols; ++c) y[r * cols + c] = sum += x[r * cols + c];
  });
}
