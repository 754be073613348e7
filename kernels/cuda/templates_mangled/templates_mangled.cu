// Template kernels whose names are mangled: namespaces, types, values, and a functor argument.
namespace shapes {
template <typename T>
struct Scale {
  T factor;
  __device__ T operator()(T x) const { return x * factor; }
};

template <typename T, int kUnroll, typename F>
__global__ void apply(const T* __restrict__ x, T* __restrict__ y, int n, F f) {
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const int i = (blockIdx.x * kUnroll + u) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = f(x[i]);
  }
}

template __global__ void apply<float, 2, Scale<float>>(const float*, float*, int, Scale<float>);
template __global__ void apply<double, 4, Scale<double>>(const double*, double*, int, Scale<double>);
template __global__ void apply<int, 1, Scale<int>>(const int*, int*, int, Scale<int>);
}  // namespace shapes
