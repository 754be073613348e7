// Rotary angles with the fast approximations: no local memory.
extern "C" __global__ void rotate(const float* __restrict__ angle, float2* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = make_float2(__cosf(angle[i]), __sinf(angle[i]));
}
