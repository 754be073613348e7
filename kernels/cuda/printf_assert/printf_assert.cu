// Device-side checks: printf with several argument types, assert, trap and clock.
#include <cassert>
#include <cstdio>

extern "C" __global__ void printf_assert(const float* x, float* y, long long* ticks, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long start = clock64();
  assert(x[i] >= 0.0f);
  if (x[i] > 1e6f) printf("element %d is %f\n", i, x[i]);
  if (x[i] > 1e9f) __trap();
  y[i] = sqrtf(x[i]);
  ticks[i] = clock64() - start;
}
