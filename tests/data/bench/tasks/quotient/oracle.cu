// Quotients in double.
extern "C" __global__ void quotient_oracle(const float* x, const float* y, double* z, int n, double* scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  z[i] = static_cast<double>(x[i]) / y[i];
  scale[i] = fabs(z[i]);
}
