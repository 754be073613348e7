// Phases in radians: sin calls an argument reduction whose table sits on the stack. Not a spill.
extern "C" __global__ void phase(const double* __restrict__ angle, double* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sin(angle[i]);
}
