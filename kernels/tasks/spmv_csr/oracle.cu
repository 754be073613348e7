// Sparse matrix times vector, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void spmv_csr_oracle(const int* start, const int* column, const float* value, const float* x,
                                           double* y, int rows, double* y_scale) {
  each(rows, [&](Count r) {
    double sum = 0, size = 0;
    for (int i = start[r]; i < start[r + 1]; ++i) {
      const double product = in_f32(static_cast<double>(value[i]) * x[column[i]]);
      sum += product;
      size += fabs(product);
    }
    y[r] = sum;
    y_scale[r] = at_least(size);
  });
}
