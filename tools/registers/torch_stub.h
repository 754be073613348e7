// What CUDA sources written for torch need of its headers to compile their kernels: types with
// torch's names and no behaviour. Nothing here is ever run.
#pragma once
// The formatter breaks these macros differently each time.
// clang-format off
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#define HD __host__ __device__ inline
namespace c10 {
#define STUB_FLOAT16(Name, Native, to, from)                                        \
  struct alignas(2) Name {                                                          \
    unsigned short x;                                                               \
    struct from_bits_t {};                                                          \
    Name() = default;                                                               \
    HD Name(float f) {                                                              \
      Native h = from(f);                                                           \
      x = *reinterpret_cast<unsigned short*>(&h);                                   \
    }                                                                               \
    HD Name(const Native& h) { x = *reinterpret_cast<const unsigned short*>(&h); }  \
    HD Name(unsigned short bits, from_bits_t) : x(bits) {}                          \
    HD operator float() const { return to(*reinterpret_cast<const Native*>(&x)); }  \
    HD operator Native() const { return *reinterpret_cast<const Native*>(&x); }     \
  };                                                                                \
  HD Name operator+(const Name& a, const Name& b) { return float(a) + float(b); }   \
  HD Name operator-(const Name& a, const Name& b) { return float(a) - float(b); }   \
  HD Name operator*(const Name& a, const Name& b) { return float(a) * float(b); }   \
  HD Name operator/(const Name& a, const Name& b) { return float(a) / float(b); }   \
  HD Name operator-(const Name& a) { return -float(a); }                            \
  HD bool operator<(const Name& a, const Name& b) { return float(a) < float(b); }   \
  HD bool operator>(const Name& a, const Name& b) { return float(a) > float(b); }   \
  HD bool operator<=(const Name& a, const Name& b) { return float(a) <= float(b); } \
  HD bool operator>=(const Name& a, const Name& b) { return float(a) >= float(b); } \
  HD bool operator==(const Name& a, const Name& b) { return float(a) == float(b); } \
  HD bool operator!=(const Name& a, const Name& b) { return float(a) != float(b); } \
  HD Name& operator+=(Name& a, const Name& b) { return a = a + b; }                 \
  HD Name& operator-=(Name& a, const Name& b) { return a = a - b; }                 \
  HD Name& operator*=(Name& a, const Name& b) { return a = a * b; }                 \
  HD Name& operator/=(Name& a, const Name& b) { return a = a / b; }                 \
  STUB_MIX(Name, float)                                                             \
  STUB_MIX(Name, double) STUB_MIXI(Name, int) STUB_MIXI(Name, long) STUB_MIXI(Name, unsigned)
#define STUB_MIX(Name, T)                                      \
  HD T operator+(Name a, T b) { return T(float(a)) + b; }      \
  HD T operator-(Name a, T b) { return T(float(a)) - b; }      \
  HD T operator*(Name a, T b) { return T(float(a)) * b; }      \
  HD T operator/(Name a, T b) { return T(float(a)) / b; }      \
  HD T operator+(T a, Name b) { return a + T(float(b)); }      \
  HD T operator-(T a, Name b) { return a - T(float(b)); }      \
  HD T operator*(T a, Name b) { return a * T(float(b)); }      \
  HD T operator/(T a, Name b) { return a / T(float(b)); }      \
  HD T& operator+=(T& a, Name b) { return a += T(float(b)); }  \
  HD T& operator*=(T& a, Name b) { return a *= T(float(b)); }  \
  HD bool operator<(Name a, T b) { return T(float(a)) < b; }   \
  HD bool operator>(Name a, T b) { return T(float(a)) > b; }   \
  HD bool operator<=(Name a, T b) { return T(float(a)) <= b; } \
  HD bool operator>=(Name a, T b) { return T(float(a)) >= b; } \
  HD bool operator==(Name a, T b) { return T(float(a)) == b; } \
  HD bool operator!=(Name a, T b) { return T(float(a)) != b; } \
  HD bool operator<(T a, Name b) { return a < T(float(b)); }   \
  HD bool operator<=(T a, Name b) { return a <= T(float(b)); } \
  HD bool operator>=(T a, Name b) { return a >= T(float(b)); } \
  HD bool operator>(T a, Name b) { return a > T(float(b)); }
#define STUB_MIXI(Name, T)                                         \
  HD Name operator+(Name a, T b) { return float(a) + float(b); }   \
  HD Name operator-(Name a, T b) { return float(a) - float(b); }   \
  HD Name operator*(Name a, T b) { return float(a) * float(b); }   \
  HD Name operator/(Name a, T b) { return float(a) / float(b); }   \
  HD Name operator+(T a, Name b) { return float(a) + float(b); }   \
  HD Name operator-(T a, Name b) { return float(a) - float(b); }   \
  HD Name operator*(T a, Name b) { return float(a) * float(b); }   \
  HD Name operator/(T a, Name b) { return float(a) / float(b); }   \
  HD bool operator<(Name a, T b) { return float(a) < float(b); }   \
  HD bool operator>(Name a, T b) { return float(a) > float(b); }   \
  HD bool operator<=(Name a, T b) { return float(a) <= float(b); } \
  HD bool operator>=(Name a, T b) { return float(a) >= float(b); } \
  HD bool operator==(Name a, T b) { return float(a) == float(b); } \
  HD bool operator!=(Name a, T b) { return float(a) != float(b); } \
  HD bool operator<(T a, Name b) { return float(a) < float(b); }   \
  HD bool operator>(T a, Name b) { return float(a) > float(b); }   \
  HD bool operator<=(T a, Name b) { return float(a) <= float(b); } \
  HD bool operator>=(T a, Name b) { return float(a) >= float(b); }
STUB_FLOAT16(Half, __half, __half2float, __float2half)
STUB_FLOAT16(BFloat16, __nv_bfloat16, __bfloat162float, __float2bfloat16)
struct Float8_e4m3fn {
  unsigned char x;
};
struct Float8_e5m2 {
  unsigned char x;
};
struct Float8_e4m3fnuz {
  unsigned char x;
};
template <class T>
struct complex {
  T real_, imag_;
  HD complex(T a = 0, T b = 0) : real_(a), imag_(b) {}
  HD T real() const { return real_; }
  HD T imag() const { return imag_; }
  HD complex& operator+=(const complex& o) {
    real_ += o.real_;
    imag_ += o.imag_;
    return *this;
  }
};
template <class T>
HD complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
}
template <class T>
HD complex<T> operator+(complex<T> a, complex<T> b) {
  return {a.real_ + b.real_, a.imag_ + b.imag_};
}
template <class T>
HD complex<T> conj(complex<T> a) {
  return {a.real_, -a.imag_};
}
template <class T>
HD complex<T> operator*(complex<T> a, T b) {
  return {a.real_ * b, a.imag_ * b};
}
template <class T>
HD complex<T> operator*(T b, complex<T> a) {
  return {a.real_ * b, a.imag_ * b};
}
template <class T>
HD complex<T> operator-(complex<T> a, complex<T> b) {
  return {a.real_ - b.real_, a.imag_ - b.imag_};
}
enum class ScalarType {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexFloat,
  ComplexDouble,
  Bool,
  BFloat16,
  Float8_e4m3fn,
  Float8_e5m2,
  UInt8,
  Undefined
};
constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kChar = ScalarType::Char,
                     kInt8 = ScalarType::Char, kShort = ScalarType::Short,
                     kInt16 = ScalarType::Short, kInt = ScalarType::Int, kInt32 = ScalarType::Int,
                     kLong = ScalarType::Long, kInt64 = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat16 = ScalarType::Half, kFloat = ScalarType::Float,
                     kFloat32 = ScalarType::Float, kDouble = ScalarType::Double,
                     kFloat64 = ScalarType::Double, kBool = ScalarType::Bool,
                     kBFloat16 = ScalarType::BFloat16, kComplexFloat = ScalarType::ComplexFloat,
                     kComplexDouble = ScalarType::ComplexDouble,
                     kFloat8_e4m3fn = ScalarType::Float8_e4m3fn,
                     kFloat8_e5m2 = ScalarType::Float8_e5m2;
inline std::ostream& operator<<(std::ostream& o, ScalarType) { return o; }
inline const char* toString(ScalarType) { return ""; }
enum class DeviceType { CPU, CUDA };
constexpr DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;
struct Device {
  DeviceType t{};
  int i = 0;
  Device() {}
  Device(DeviceType t, int i = 0) : t(t), i(i) {}
  Device(const std::string&) {}
  int index() const { return i; }
  bool is_cuda() const { return true; }
  bool is_cpu() const { return false; }
  DeviceType type() const { return t; }
  std::string str() const { return ""; }
  bool operator==(Device) const { return true; }
  bool operator!=(Device) const { return false; }
  operator DeviceType() const { return t; }
};
inline std::ostream& operator<<(std::ostream& o, Device) { return o; }
using DeviceIndex = int8_t;
template <class T>
struct ArrayRef {
  std::vector<T> v;
  ArrayRef() {}
  ArrayRef(std::vector<T> v) : v(v) {}
  ArrayRef(std::initializer_list<T> l) : v(l) {}
  T operator[](size_t i) const { return v[i]; }
  size_t size() const { return v.size(); }
  const T* data() const { return v.data(); }
  const T* begin() const { return v.data(); }
  const T* end() const { return v.data() + v.size(); }
  std::vector<T> vec() const { return v; }
  T back() const { return v.back(); }
  T front() const { return v.front(); }
  ArrayRef slice(size_t, size_t = 0) const { return *this; }
  bool operator==(const ArrayRef& o) const { return v == o.v; }
  bool operator!=(const ArrayRef& o) const { return v != o.v; }
  bool empty() const { return v.empty(); }
};
using IntArrayRef = ArrayRef<int64_t>;
template <class T>
inline std::ostream& operator<<(std::ostream& o, const ArrayRef<T>&) {
  return o;
}
using std::make_optional;
using std::nullopt;
using std::optional;
template <class... A>
[[noreturn]] inline void fail(const A&...) {
  throw std::runtime_error("");
}
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
template <class T>
struct MaybeOwned {};
struct Scalar {
  double d = 0;
  Scalar() {}
  template <class T>
  Scalar(T v) : d(double(v)) {}
  template <class T>
  T to() const {
    return T(d);
  }
  double toDouble() const { return d; }
  float toFloat() const { return float(d); }
  int64_t toLong() const { return int64_t(d); }
};
namespace cuda {
struct CUDAStream {
  cudaStream_t s{};
  operator cudaStream_t() const { return s; }
  cudaStream_t stream() const { return s; }
  void synchronize() const {}
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
inline CUDAStream getDefaultCUDAStream(int = 0) { return {}; }
inline CUDAStream getStreamFromPool(bool = false, int = 0) { return {}; }
struct CUDAGuard {
  CUDAGuard() {}
  CUDAGuard(int) {}
  CUDAGuard(Device) {}
  void set_index(int) {}
  void set_device(Device) {}
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() {}
  template <class T>
  OptionalCUDAGuard(T) {}
};
struct CUDAStreamGuard {
  template <class T>
  CUDAStreamGuard(T) {}
};
inline int current_device() { return 0; }
inline int device_count() { return 1; }
inline void set_device(int) {}
}  // namespace cuda
inline int device_of_dummy = 0;
}  // namespace c10
namespace at {
using namespace c10;
template <class T, size_t N, template <class U> class P, class I>
struct Accessor;
template <class T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <class T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};
template <class T, size_t N, template <class U> class P = DefaultPtrTraits, class I = int64_t>
struct TensorAccessorBase {
  typedef typename P<T>::PtrType PtrType;
  HD TensorAccessorBase(PtrType d, const I* sizes, const I* strides)
      : data_(d), sizes_(sizes), strides_(strides) {}
  HD I size(I i) const { return sizes_[i]; }
  HD I stride(I i) const { return strides_[i]; }
  HD PtrType data() const { return data_; }
  PtrType data_;
  const I* sizes_;
  const I* strides_;
};
template <class T, size_t N, template <class U> class P = DefaultPtrTraits, class I = int64_t>
struct TensorAccessor : TensorAccessorBase<T, N, P, I> {
  using TensorAccessorBase<T, N, P, I>::TensorAccessorBase;
  HD TensorAccessor<T, N - 1, P, I> operator[](I i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
template <class T, template <class U> class P, class I>
struct TensorAccessor<T, 1, P, I> : TensorAccessorBase<T, 1, P, I> {
  using TensorAccessorBase<T, 1, P, I>::TensorAccessorBase;
  HD T& operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};
template <class T, size_t N, template <class U> class P = DefaultPtrTraits, class I = int64_t>
struct GenericPackedTensorAccessorBase {
  typedef typename P<T>::PtrType PtrType;
  PtrType data_;
  I sizes_[N];
  I strides_[N];
  HD I size(I i) const { return sizes_[i]; }
  HD I stride(I i) const { return strides_[i]; }
  HD PtrType data() const { return data_; }
};
template <class T, size_t N, template <class U> class P = DefaultPtrTraits, class I = int64_t>
struct GenericPackedTensorAccessor : GenericPackedTensorAccessorBase<T, N, P, I> {
  HD TensorAccessor<T, N - 1, P, I> operator[](I i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
template <class T, template <class U> class P, class I>
struct GenericPackedTensorAccessor<T, 1, P, I> : GenericPackedTensorAccessorBase<T, 1, P, I> {
  HD T& operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};
template <class T, size_t N, template <class U> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int32_t>;
template <class T, size_t N, template <class U> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;
template <class T, size_t N, template <class U> class P = DefaultPtrTraits, class I = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, I>;
enum class MemoryFormat { Contiguous, ChannelsLast, Preserve };
enum class Layout { Strided };
constexpr Layout kStrided = Layout::Strided;
struct TensorOptions {
  TensorOptions() {}
  template <class T>
  TensorOptions(T) {}
  template <class T>
  TensorOptions dtype(T) const {
    return *this;
  }
  ScalarType dtype() const { return kFloat; }
  template <class... T>
  TensorOptions device(T...) const {
    return *this;
  }
  Device device() const { return {}; }
  TensorOptions layout(Layout) const { return *this; }
  TensorOptions requires_grad(bool = true) const { return *this; }
  TensorOptions memory_format(MemoryFormat) const { return *this; }
  TensorOptions pinned_memory(bool) const { return *this; }
};
inline TensorOptions dtype(ScalarType) { return {}; }
template <class... T>
inline TensorOptions device(T...) {
  return {};
}
struct DType {
  ScalarType s = kFloat;
  ScalarType scalarType() const { return s; }
  operator ScalarType() const { return s; }
  size_t itemsize() const { return 4; }
  std::string name() const { return ""; }
  bool operator==(ScalarType) const { return true; }
  bool operator!=(ScalarType) const { return false; }
};
inline std::ostream& operator<<(std::ostream& o, DType) { return o; }
struct Tensor {
  ScalarType type_ = kFloat;
  std::vector<int64_t> s_{1, 1, 1, 1, 1, 1, 1, 1};
  template <class T = void>
  T* data_ptr() const {
    volatile uintptr_t p = 0;
    return (T*)p;
  }
  template <class T = void>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  template <class T = void>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <class T>
  T* data() const {
    return data_ptr<T>();
  }
  int64_t size(int64_t i) const {
    volatile int64_t v = i;
    return v;
  }
  int64_t stride(int64_t i) const { return size(i); }
  int64_t numel() const { return size(0); }
  int64_t dim() const { return size(0); }
  int64_t ndimension() const { return size(0); }
  int64_t element_size() const { return size(0); }
  int64_t nbytes() const { return 4; }
  int64_t itemsize() const { return 4; }
  int64_t storage_offset() const { return 0; }
  IntArrayRef sizes() const { return s_; }
  IntArrayRef strides() const { return s_; }
  ScalarType scalar_type() const { return type_; }
  DType dtype() const { return {}; }
  TensorOptions options() const { return {}; }
  Device device() const { return {}; }
  int get_device() const { return 0; }
  DType type() const { return {}; }
  bool is_cuda() const { return size(0); }
  bool is_contiguous() const { return size(0); }
  bool is_contiguous(MemoryFormat) const { return size(0); }
  bool defined() const { return size(0); }
  bool has_value() const { return true; }
  bool requires_grad() const { return size(0); }
  bool is_cpu() const { return size(0); }
  bool is_floating_point() const { return size(0); }
  bool is_complex() const { return false; }
  bool is_sparse() const { return false; }
  bool is_same_size(const Tensor&) const { return true; }
  bool is_non_overlapping_and_dense() const { return true; }
  MemoryFormat suggest_memory_format() const { return {}; }
  Layout layout() const { return {}; }
  template <class T>
  T item() const {
    return T();
  }
  Scalar item() const { return {}; }
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const {
    return {data_ptr<T>(), nullptr, nullptr};
  }
#define ACC(name, I)                                                          \
  template <class T, size_t N, template <class U> class P = DefaultPtrTraits> \
  GenericPackedTensorAccessor<T, N, P, I> name() const {                      \
    return {};                                                                \
  }
  ACC(packed_accessor32, int32_t)
  ACC(packed_accessor64,
      int64_t) template <class T, size_t N, template <class U> class P = DefaultPtrTraits,
                         class I = int64_t>
  GenericPackedTensorAccessor<T, N, P, I> packed_accessor() const {
    return {};
  }
  template <class T, size_t N, template <class U> class P = DefaultPtrTraits, class I = int64_t>
  GenericPackedTensorAccessor<T, N, P, I> generic_packed_accessor() const {
    return {};
  }
  template <class... A>
  std::tuple<Tensor, Tensor> sort(A...) const {
    return {};
  }
  template <class A>
  void index_put_(std::initializer_list<Tensor>, const A&) const {}
  Tensor index(std::initializer_list<Tensor>) const { return *this; }
  template <class A>
  Tensor index(const A&) const {
    return *this;
  }
  Tensor max() const { return *this; }
  Tensor min() const { return *this; }
  template <class... A>
  std::tuple<Tensor, Tensor> max(int64_t, A...) const {
    return {};
  }
  template <class... A>
  std::tuple<Tensor, Tensor> min(int64_t, A...) const {
    return {};
  }
#define SELF(name)                 \
  template <class... A>            \
  Tensor name(const A&...) const { \
    return *this;                  \
  }                                \
  Tensor name(std::initializer_list<int64_t>) const { return *this; }
  SELF(contiguous) SELF(to) Tensor to(TensorOptions) const { return *this; }
  SELF(view)
  SELF(reshape) SELF(clone) SELF(detach) SELF(permute) SELF(transpose) SELF(slice) SELF(narrow)
      SELF(select) SELF(squeeze) SELF(unsqueeze) SELF(zero_) SELF(fill_) SELF(expand)
          SELF(expand_as) SELF(sum) SELF(mean) SELF(index_select) SELF(flatten) SELF(cpu) SELF(cuda)
              SELF(resize_) SELF(copy_) SELF(t) SELF(mul) SELF(div) SELF(add) SELF(sub) SELF(add_)
                  SELF(mul_) SELF(cumsum) SELF(masked_select) SELF(nonzero) SELF(repeat)
                      SELF(new_empty) Tensor
      new_empty(std::initializer_list<int64_t>, TensorOptions) const {
    return *this;
  }
  SELF(view_as)
  SELF(abs) SELF(div_) SELF(new_zeros) SELF(unbind) SELF(masked_fill_) SELF(any) SELF(all)
      SELF(toType) SELF(unfold) SELF(movedim) SELF(gather) SELF(scatter_) SELF(baddbmm_)
          SELF(addmm_) SELF(argsort) SELF(ne) SELF(eq) SELF(gt) SELF(lt) SELF(repeat_interleave)
              SELF(record_stream) SELF(values) SELF(numpy_T) SELF(unflatten) SELF(storage)
                  SELF(matmul) SELF(mm) SELF(index_put_) SELF(set_requires_grad) SELF(resize_as_)
                      SELF(set_) SELF(scatter_add_) SELF(sub_) SELF(bool_) SELF(diff)
                          SELF(floor_divide) SELF(exp) SELF(pow) SELF(sqrt) SELF(grad)
                              SELF(dequantize) SELF(ceil) SELF(bernoulli) SELF(floor) SELF(log)
                                  SELF(clamp) SELF(round) SELF(argmax) SELF(prod) SELF(triu)
                                      SELF(tril) SELF(masked_fill) SELF(as_strided) SELF(is_pinned)
                                          SELF(nonzero_) SELF(minimum) SELF(maximum)
                                              SELF(logical_not) SELF(logical_and) SELF(clamp_min)
                                                  SELF(random_) SELF(true_divide_) Tensor
                                                  operator[](int64_t) const {
    return *this;
  }
  Tensor operator-() const { return *this; }
  template <class T>
  const Tensor& operator+=(const T&) const {
    return *this;
  }
  template <class T>
  const Tensor& operator*=(const T&) const {
    return *this;
  }
  template <class T>
  const Tensor& operator-=(const T&) const {
    return *this;
  }
  bool operator!() const { return true; }
};
#define TOP(op)                                                          \
  template <class T>                                                     \
  inline Tensor operator op(const Tensor& a, const T&) {                 \
    return a;                                                            \
  }                                                                      \
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> \
  inline Tensor operator op(T, const Tensor& a) {                        \
    return a;                                                            \
  }
TOP(!=) TOP(+) TOP(-) TOP(*) TOP(/) TOP(<) TOP(>) TOP(==) using TensorList = ArrayRef<Tensor>;
#define MAKE(name)                                                                 \
  template <class... A>                                                            \
  inline Tensor name(const A&...) {                                                \
    return {};                                                                     \
  }                                                                                \
  template <class... A>                                                            \
  inline Tensor name(std::initializer_list<int64_t>, const A&...) {                \
    return {};                                                                     \
  }                                                                                \
  template <class... A>                                                            \
  inline Tensor name(std::initializer_list<Tensor>, const A&...) {                 \
    return {};                                                                     \
  }                                                                                \
  template <class... A>                                                            \
  inline Tensor name(const Tensor&, std::initializer_list<int64_t>, const A&...) { \
    return {};                                                                     \
  }
MAKE(empty)
MAKE(zeros) MAKE(ones) MAKE(full) MAKE(empty_like) MAKE(zeros_like) MAKE(ones_like) MAKE(full_like)
    MAKE(arange) MAKE(cat) MAKE(stack) MAKE(tensor) MAKE(from_blob) MAKE(bmm) MAKE(matmul) MAKE(mm)
        MAKE(addmm) MAKE(cumsum) MAKE(sum) MAKE(nonzero) MAKE(where) MAKE(empty_strided) MAKE(max)
            MAKE(min) MAKE(sort_) MAKE(scalar_tensor) MAKE(mul) MAKE(addmm_out) MAKE(mm_out)
                MAKE(sum_out) MAKE(linspace) MAKE(rand) MAKE(randn) MAKE(cumsum_out) MAKE(randint)
                    MAKE(bincount) MAKE(histc) MAKE(eye) MAKE(relu) MAKE(argsort) MAKE(bmm_out)
                        MAKE(linear) MAKE(baddbmm) MAKE(numel) MAKE(randperm) MAKE(flip) MAKE(ceil)
                            MAKE(log2) MAKE(unique) MAKE(square) MAKE(norm) MAKE(real) MAKE(imag)
                                MAKE(view_as_real) MAKE(exp) MAKE(abs) MAKE(sqrt) MAKE(pow)
                                    MAKE(clamp) MAKE(diff) MAKE(searchsorted)
                                        MAKE(masked_select) template <class... A>
                                        inline std::tuple<Tensor, Tensor> sort(const A&...) {
  return {};
}
inline std::ostream& operator<<(std::ostream& o, const Tensor&) { return o; }
template <class T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<Half> {
  using type = float;
};
template <>
struct OpMath<BFloat16> {
  using type = float;
};
template <class T>
using opmath_type = typename OpMath<T>::type;
template <class T, bool>
struct AccT {
  using type = T;
};
template <bool b>
struct AccT<Half, b> {
  using type = float;
};
template <bool b>
struct AccT<BFloat16, b> {
  using type = float;
};
template <bool b>
struct AccT<__half, b> {
  using type = float;
};
template <class T, bool b>
using acc_type = typename AccT<T, b>::type;
template <class T>
struct ScalarTo;
struct NoGradGuard {};
struct AutoNonVariableTypeMode {
  AutoNonVariableTypeMode(bool) {}
};
struct PhiloxCudaState {
  uint64_t seed_ = 0, offset_ = 0;
};
struct CUDAGeneratorImpl {
  uint64_t seed() { return 0; }
  PhiloxCudaState philox_cuda_state(uint64_t) { return {}; }
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t) { return {}; }
  std::mutex mutex_;
};
struct Generator {};
template <class T>
inline T* get_generator_or_default(const std::optional<Generator>&, Generator) {
  static T t;
  return &t;
}
inline int device_of(const Tensor&) { return 0; }
struct DeviceGuard {
  template <class T>
  DeviceGuard(T) {}
};
template <class T>
HD T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
template <class T>
HD bool _isnan(T v) {
  return v != v;
}
namespace cuda {
using namespace c10::cuda;
namespace detail {
template <class T, class I>
struct TensorInfo {
  T* data;
  I sizes[25];
  I strides[25];
  int dims;
};
template <class T, class I>
inline TensorInfo<T, I> getTensorInfo(const Tensor&) {
  return {};
}
template <class T, class I, int D>
struct IndexToOffset {
  static HD I get(I linear, const TensorInfo<T, I>& info) {
    I offset = 0;
    for (int i = info.dims - 1; i > 0; --i) {
      I c = linear % info.sizes[i];
      offset += c * info.strides[i];
      linear /= info.sizes[i];
    }
    return offset + linear * info.strides[0];
  }
};
inline Generator getDefaultCUDAGenerator(int = 0) { return {}; }
inline bool canUse32BitIndexMath(const Tensor&, int64_t = 0) { return true; }
}  // namespace detail
inline cudaDeviceProp* getCurrentDeviceProperties() {
  static cudaDeviceProp p;
  return &p;
}
inline cudaDeviceProp* getDeviceProperties(int) {
  static cudaDeviceProp p;
  return &p;
}
inline cublasHandle_t getCurrentCUDABlasHandle() { return {}; }
inline cusparseHandle_t getCurrentCUDASparseHandle() { return {}; }
namespace philox {
__device__ inline std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState s) {
  return {s.seed_, s.offset_};
}
}  // namespace philox
template <class T>
HD T CeilDiv(T a, T b) {
  return (a + b - 1) / b;
}
template <class T>
HD T ATenCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}
}  // namespace cuda
namespace native {
template <class T>
__device__ inline void fastAtomicAdd(T* p, size_t i, size_t, T v, bool) {
  atomicAdd(p + i, v);
}
}  // namespace native
namespace indexing {
struct Slice {
  template <class... A>
  Slice(A...) {}
};
struct N {};
constexpr int None = 0, Ellipsis = 0;
}  // namespace indexing
inline void globalContext() {}
}  // namespace at
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
