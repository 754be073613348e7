// The same histogram through a portable helper: every add is now a compare-and-swap loop, and
// threads that hit the same bin retry one after the other.
__device__ void portable_add(float* address, float value) {
  int* word = reinterpret_cast<int*>(address);
  int seen = *word, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(word, assumed, __float_as_int(__int_as_float(assumed) + value));
  } while (seen != assumed);
}

extern "C" __global__ void weighted_histogram(const int* __restrict__ bin,
                                              const float* __restrict__ weight, float* total,
                                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) portable_add(&total[bin[i]], weight[i]);
}
