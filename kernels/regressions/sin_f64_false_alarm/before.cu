// Phases in half-turns: sinpi reduces its argument exactly, without a table.
extern "C" __global__ void phase(const double* __restrict__ angle, double* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinpi(angle[i] * 0.31830988618379067);
}
