// y = mask ? scale * x : fill, an element a thread.
extern "C" __global__ void masked_fill(const float* __restrict__ x, const unsigned char* __restrict__ mask,
                                       float* __restrict__ y, int n, float scale, float fill) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = mask[i] ? scale * x[i] : fill;
}
