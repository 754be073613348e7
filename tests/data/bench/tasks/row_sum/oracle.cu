// Sums of rows in double, and of the terms' magnitudes.
extern "C" __global__ void row_sum_oracle(const float* x, double* y, int rows, int cols, double* scale) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double sum = 0, all = 0;
  for (int c = 0; c < cols; ++c) {
    sum += x[r * cols + c];
    all += fabs(static_cast<double>(x[r * cols + c]));
  }
  y[r] = sum;
  scale[r] = all;
}
