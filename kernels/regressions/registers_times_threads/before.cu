// Polynomial of 32 terms a thread, launched with 1024 threads a block; 64 registers at most.
constexpr int kTerms = 32;

extern "C" __global__ void prefix_terms(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float t[kTerms];
#pragma unroll
  for (int j = 0; j < kTerms; ++j) t[j] = x[i + j * n];
  // A scan from both ends keeps every term live at once.
#pragma unroll
  for (int j = 1; j < kTerms; ++j) t[j] += t[j - 1] * 0.5f;
#pragma unroll
  for (int j = kTerms - 2; j >= 0; --j) t[j] += t[j + 1] * 0.25f;
#pragma unroll
  for (int j = 0; j < kTerms; ++j) y[i + j * n] = t[j];
}
