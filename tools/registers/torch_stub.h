// What CUDA sources written for torch need of its headers to compile their kernels: types with
// torch's names and no behaviour. Nothing here is ever run.
#pragma once
// The formatter breaks these macros differently each time.
// clang-format off
#include "torch_stub_at.h"
using at::BFloat16;
using at::Half;
__device__ inline at::Half atomicAdd(at::Half* p, at::Half v) {
  return atomicAdd((__half*)p, (__half)v);
}
__device__ inline at::BFloat16 atomicAdd(at::BFloat16* p, at::BFloat16 v) {
  return atomicAdd((__nv_bfloat16*)p, (__nv_bfloat16)v);
}
__device__ inline void gpuAtomicAdd(float* p, float v) { atomicAdd(p, v); }
__device__ inline void gpuAtomicAdd(double* p, double v) { atomicAdd(p, v); }
__device__ inline void gpuAtomicAdd(int* p, int v) { atomicAdd(p, v); }
__device__ inline void gpuAtomicAdd(at::Half* p, at::Half v) { atomicAdd(p, v); }
__device__ inline void gpuAtomicAdd(at::BFloat16* p, at::BFloat16 v) { atomicAdd(p, v); }
__device__ inline void gpuAtomicAdd(c10::complex<float>* p, c10::complex<float> v) {
  atomicAdd(&p->real_, v.real_);
  atomicAdd(&p->imag_, v.imag_);
}
template <class T>
__device__ inline void gpuAtomicAddNoReturn(T* p, T v) {
  gpuAtomicAdd(p, v);
}
namespace torch {
using namespace at;
namespace nn {
namespace functional {}
}  // namespace nn
namespace cuda {
using namespace at::cuda;
}
inline TensorOptions CUDA(ScalarType) { return {}; }
inline TensorOptions CPU(ScalarType) { return {}; }
namespace indexing {
using namespace at::indexing;
}
namespace headeronly {
using at::ScalarType;
}
struct Library {
  template <class... A>
  void def(A...) {}
  template <class... A>
  void impl(A...) {}
};
namespace autograd {
struct AutogradContext {
  std::map<std::string, int> saved_data;
  template <class A>
  void save_for_backward(A) {}
  std::vector<Tensor> get_saved_variables() { return {}; }
};
using variable_list = std::vector<Tensor>;
using Variable = Tensor;
template <class T>
struct Function {
  template <class... A>
  static std::vector<Tensor> apply(A...) {
    return {};
  }
};
}  // namespace autograd
}  // namespace torch
namespace pybind11 {
struct module_ {
  template <class... A>
  module_& def(A...) {
    return *this;
  }
};
struct dict {};
struct object {};
using module = module_;
}  // namespace pybind11
namespace py = pybind11;
#define STUB_CHECK(c, ...)   \
  do {                       \
    if (!(c)) ::c10::fail(); \
  } while (0)
#define TORCH_CHECK(c, ...) STUB_CHECK(c)
#define TORCH_CHECK_LT(a, b, ...) STUB_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b, ...) STUB_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b, ...) STUB_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b, ...) STUB_CHECK((a) >= (b))
#define TORCH_CHECK_EQ(a, b, ...) STUB_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b, ...) STUB_CHECK((a) != (b))
#define TORCH_CHECK_NOT_IMPLEMENTED(c, ...) STUB_CHECK(c)
#define TORCH_CHECK_VALUE(c, ...) STUB_CHECK(c)
#define TORCH_INTERNAL_ASSERT(c, ...) STUB_CHECK(c)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(c, ...) STUB_CHECK(c)
#define TORCH_WARN(...)
#define TORCH_WARN_ONCE(...)
#define AT_ASSERTM(c, ...) STUB_CHECK(c)
#define AT_ASSERT(c, ...) STUB_CHECK(c)
#define AT_CHECK(c, ...) STUB_CHECK(c)
#define AT_ERROR(...) ::c10::fail()
#define C10_CUDA_CHECK(x) (void)(x)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define AT_CUDA_CHECK(x) (void)(x)
#define THCudaCheck(x) (void)(x)
#define TORCH_CUDABLAS_CHECK(x) (void)(x)
#define TORCH_CUDASPARSE_CHECK(x) (void)(x)
#define CUDA_KERNEL_ASSERT(c) assert(c)
#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_KERNEL_LOOP_TYPE(i, n, T) \
  for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
#define C10_ALWAYS_INLINE __forceinline__
#define C10_WARP_SIZE 32
#define C10_UNUSED
#define C10_RESTRICT __restrict__
#define AT_CUDA_INLINE inline
#define C10_UNLIKELY(x) (x)
#define C10_LIKELY(x) (x)
#define AT_PRIVATE_CASE_TYPE(...)
#define PYBIND11_MODULE(name, m) inline void stub_module_##name(py::module_& m)
#define TORCH_LIBRARY(name, m) inline void stub_library_##name(torch::Library& m)
#define TORCH_LIBRARY_FRAGMENT(name, m) inline void stub_fragment_##name(torch::Library& m)
#define TORCH_LIBRARY_IMPL(name, k, m) inline void stub_impl_##name##k(torch::Library& m)
#define TORCH_EXTENSION_NAME ext
#define TORCH_API
#define WARP_SHFL_XOR(v, m, ...) __shfl_xor_sync(0xffffffff, v, m)
#define CASE(T, ...)        \
  {                         \
    using scalar_t = T;     \
    (void)sizeof(scalar_t); \
    (__VA_ARGS__)();        \
  }
#define SCALAR_CASE(e, T, ...)           \
  if (stub_t == (e)) {                   \
    using scalar_t [[maybe_unused]] = T; \
    (void)(__VA_ARGS__)();               \
  }
#define AT_DISPATCH_FLOATING_TYPES(t, n, ...)                                                 \
  [&] {                                                                                       \
    at::ScalarType stub_t = (t);                                                              \
    SCALAR_CASE(at::kFloat, float, __VA_ARGS__) SCALAR_CASE(at::kDouble, double, __VA_ARGS__) \
  }()
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, ...)                                          \
  [&] {                                                                                         \
    at::ScalarType stub_t = (t);                                                                \
    SCALAR_CASE(at::kFloat, float, __VA_ARGS__)                                                 \
    SCALAR_CASE(at::kHalf, at::Half, __VA_ARGS__) SCALAR_CASE(at::kDouble, double, __VA_ARGS__) \
  }()
#define AT_DISPATCH_FLOATING_TYPES_AND(x, t, n, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(t, n, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(x, y, t, n, ...)      \
  [&] {                                                       \
    at::ScalarType stub_t = (t);                              \
    SCALAR_CASE(at::kFloat, float, __VA_ARGS__)               \
    SCALAR_CASE(at::kHalf, at::Half, __VA_ARGS__)             \
        SCALAR_CASE(at::kBFloat16, at::BFloat16, __VA_ARGS__) \
  }()
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(t, n, ...)     \
  [&] {                                                   \
    at::ScalarType stub_t = (t);                          \
    SCALAR_CASE(at::kHalf, at::Half, __VA_ARGS__)         \
    SCALAR_CASE(at::kBFloat16, at::BFloat16, __VA_ARGS__) \
  }()
#define AT_DISPATCH_INTEGRAL_TYPES(t, n, ...)                                            \
  [&] {                                                                                  \
    at::ScalarType stub_t = (t);                                                         \
    SCALAR_CASE(at::kInt, int, __VA_ARGS__) SCALAR_CASE(at::kLong, int64_t, __VA_ARGS__) \
  }()
#define AT_DISPATCH_INDEX_TYPES(t, n, ...) \
  [&] {                                    \
    using index_t = int64_t;               \
    (__VA_ARGS__)();                       \
  }()
#define AT_DISPATCH_ALL_TYPES(t, n, ...)                                                  \
  [&] {                                                                                   \
    at::ScalarType stub_t = (t);                                                          \
    SCALAR_CASE(at::kFloat, float, __VA_ARGS__)                                           \
    SCALAR_CASE(at::kDouble, double, __VA_ARGS__) SCALAR_CASE(at::kInt, int, __VA_ARGS__) \
        SCALAR_CASE(at::kLong, int64_t, __VA_ARGS__)                                      \
  }()
#define AT_DISPATCH_ALL_TYPES_AND(x, t, n, ...) AT_DISPATCH_ALL_TYPES(t, n, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(x, y, t, n, ...)                                            \
  [&] {                                                                                        \
    at::ScalarType stub_t = (t);                                                               \
    SCALAR_CASE(at::kFloat, float, __VA_ARGS__)                                                \
    SCALAR_CASE(at::kHalf, at::Half, __VA_ARGS__) SCALAR_CASE(at::kLong, int64_t, __VA_ARGS__) \
  }()
#define AT_DISPATCH_ALL_TYPES_AND3(x, y, z, t, n, ...) \
  AT_DISPATCH_ALL_TYPES_AND2(x, y, t, n, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(x, y, t, n, ...) \
  AT_DISPATCH_ALL_TYPES_AND2(x, y, t, n, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(t, n, ...) \
  [&] {                               \
    at::ScalarType stub_t = (t);      \
    __VA_ARGS__                       \
  }()
#define AT_DISPATCH_CASE(e, ...)             \
  if (stub_t == (e)) {                       \
    using scalar_t [[maybe_unused]] = float; \
    (void)(__VA_ARGS__)();                   \
  }
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) \
  SCALAR_CASE(at::kFloat, float, __VA_ARGS__) SCALAR_CASE(at::kDouble, double, __VA_ARGS__)
