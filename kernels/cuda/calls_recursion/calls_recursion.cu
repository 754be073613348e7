// Device functions that stay calls: by value, by reference, recursive, and through a pointer.
struct Pair {
  float sum, product;
};

__noinline__ __device__ Pair combine(Pair a, float v) { return {a.sum + v, a.product * v}; }
__noinline__ __device__ void bump(int& count, int by) { count += by; }
__noinline__ __device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ float twice(float x) { return x + x; }
__device__ float squared(float x) { return x * x; }
using Operation = float (*)(float);
__device__ Operation operations[2] = {twice, squared};

extern "C" __global__ void calls_recursion(const float* x, float* y, int* depth, int n, int which) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Pair p = {0, 1};
  for (int j = 0; j < 3; ++j) p = combine(p, x[i]);
  int count = 0;
  bump(count, ackermann(1, i & 3));
  y[i] = operations[which](p.sum) + p.product;
  depth[i] = count;
}
