// Symmetric int8 quantisation of rows: absolute maximum, scale, round to nearest even, clamp.
extern "C" __global__ void quantise_int8(const float* __restrict__ x, signed char* __restrict__ q,
                                         float* __restrict__ scale, int cols) {
  __shared__ float part[8];
  float top = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) top = fmaxf(top, fabsf(x[blockIdx.x * cols + i]));
  for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = top;
  __syncthreads();
  for (int i = 0; i < blockDim.x / 32; ++i) top = fmaxf(top, part[i]);
  const float inverse = top > 0 ? 127.0f / top : 0.0f;
  if (threadIdx.x == 0) scale[blockIdx.x] = top / 127.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const int v = __float2int_rn(x[blockIdx.x * cols + i] * inverse);
    q[blockIdx.x * cols + i] = static_cast<signed char>(min(127, max(-127, v)));
  }
}
