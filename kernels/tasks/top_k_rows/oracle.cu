// The eight largest of rows, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void top_k_rows_oracle(const float* x, double* value, int* index, int rows, int cols,
                                             double* value_scale) {
  each(rows, [&](Count r) {
    const float* row = x + r * cols;
    // Whether column a comes before column b.
    auto before = [&](int a, int b) {
      if (isnan(row[a]) || isnan(row[b])) return isnan(row[a]) && (!isnan(row[b]) || a < b);
      return row[a] > row[b] || (row[a] == row[b] && a < b);
    };
    for (int s = 0, last = -1; s < 8; ++s) {
      int next = -1;
      for (int c = 0; c < cols; ++c)
        if ((last < 0 || before(last, c)) && (next < 0 || before(c, next))) next = c;
      value[r * 8 + s] = row[next];
      value_scale[r * 8 + s] = at_least(row[next]);
      index[r * 8 + s] = last = next;
    }
  });
}
