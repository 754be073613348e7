// Largest element of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void argmax_rows_oracle(const float* x, double* value, int* index, int rows, int cols,
                                              double* value_scale) {
  each(rows, [&](Count r) {
    const float* row = x + r * cols;
    int at = 0;
    for (int c = 1; c < cols && !isnan(row[at]); ++c)
      if (isnan(row[c]) || row[c] > row[at]) at = c;
    value[r] = row[at];
    value_scale[r] = at_least(row[at]);
    index[r] = at;
  });
}
