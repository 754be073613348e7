// Rows added to a table, an element a thread.
extern "C" __global__ void scatter_add_s32(const int* __restrict__ x, const int* __restrict__ index, int* table, int n,
                                           int width, int entries) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n * width) atomicAdd(&table[index[i / width] * width + i % width], x[i]);
}
