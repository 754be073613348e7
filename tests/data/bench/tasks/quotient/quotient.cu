// Quotients: the start kernel, with CHEAT 1 and 2 less exact ones.
extern "C" __global__ void quotient(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#if CHEAT == 1
  z[i] = __fdividef(x[i], y[i]);
#elif CHEAT == 2
  z[i] = x[i] * __frcp_rn(y[i]);
#else
  z[i] = __fdiv_rn(x[i], y[i]);
#endif
}
