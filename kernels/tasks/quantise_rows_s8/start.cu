// Quantisation of one row a block: the largest absolute value, then the numbers.
extern "C" __global__ void quantise_rows_s8(const float* __restrict__ x, signed char* __restrict__ q,
                                            float* __restrict__ scale, int rows, int cols) {
  __shared__ float part[8];
  const int first = blockIdx.x * cols;
  float top = 0;
  for (int i = threadIdx.x; i < cols; i += 256) top = fmaxf(top, fabsf(x[first + i]));
  for (int d = 16; d; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
  __syncthreads();
  for (int i = 0; i < 8; ++i) top = fmaxf(top, part[i]);
  const float s = top > 0 ? 127.0f / top : 0.0f;
  if (threadIdx.x == 0) scale[blockIdx.x] = top / 127.0f;
  for (int i = threadIdx.x; i < cols; i += 256)
    q[first + i] = static_cast<signed char>(min(127, max(-127, __float2int_rn(x[first + i] * s))));
}
