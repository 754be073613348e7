// The stub of at: tensors, accessors, dispatch over types, random numbers.
#pragma once
// The formatter breaks these macros differently each time.
// clang-format off
#include "torch_stub_c10.h"
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
  SELF(contiguous) SELF(resolve_conj) SELF(to) Tensor to(TensorOptions) const { return *this; }
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
MAKE(transpose) MAKE(randint_like) MAKE(zeros) MAKE(ones) MAKE(full) MAKE(empty_like) MAKE(zeros_like) MAKE(ones_like) MAKE(full_like)
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
template <class... A>
inline void assert_no_internal_overlap(const A&...) {}
template <class... A>
inline void assert_no_overlap(const A&...) {}
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
