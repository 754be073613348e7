// The stub of torch's lowest layer: scalar types, devices, errors, c10's containers and streams.
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
