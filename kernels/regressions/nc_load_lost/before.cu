// Gather and scale: const and __restrict__ let the compiler read through the non-coherent path.
extern "C" __global__ void gather_scale(const float* __restrict__ table, const int* __restrict__ index,
                                        float* __restrict__ out, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]] * scale;
}
