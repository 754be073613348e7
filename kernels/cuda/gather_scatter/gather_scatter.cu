// Two kernels in one module: an indexed read, and an indexed add with 64-bit addressing.
extern "C" __global__ void gather(const float* __restrict__ table, const long long* __restrict__ index,
                                  float* __restrict__ out, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * width) out[i] = table[index[i / width] * width + i % width];
}

extern "C" __global__ void scatter_add(const float* __restrict__ x, const long long* __restrict__ index,
                                       float* __restrict__ table, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * width) atomicAdd(&table[index[i / width] * width + i % width], x[i]);
}
