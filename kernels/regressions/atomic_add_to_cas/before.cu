// Weighted histogram: one hardware float add per element.
extern "C" __global__ void weighted_histogram(const int* __restrict__ bin,
                                              const float* __restrict__ weight, float* total,
                                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total[bin[i]], weight[i]);
}
