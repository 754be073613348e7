// Dot products of int8 rows with dp4a.
extern "C" __global__ void dot_int8(const int* __restrict__ a, const int* __restrict__ b,
                                    int* __restrict__ out, int words, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int i = 0; i < words; ++i) sum = __dp4a(a[row * words + i], b[i], sum);
  out[row] = sum;
}
