// Sums along segments of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void scan_segmented_s32_oracle(const int* x, const unsigned char* mark, int* y, int rows,
                                                     int cols) {
  each(rows, [&](Count r) {
    unsigned sum = 0;
    for (int c = 0; c < cols; ++c) {
      if (mark[r * cols + c] == 0) sum = 0;
      sum += static_cast<unsigned>(x[r * cols + c]);
      y[r * cols + c] = static_cast<int>(sum);
    }
  });
}
