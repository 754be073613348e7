// What tuned kernels share: vectors for wide loads, and sums (or maxima …) over warps and blocks.
#pragma once

template <class T, int N>
struct alignas(sizeof(T) * N) Vector {
  T v[N];
};

template <int N, class T>
__device__ __forceinline__ Vector<T, N> load(const T* p) {
  return *reinterpret_cast<const Vector<T, N>*>(p);
}
template <int N, class T>
__device__ __forceinline__ void store(T* p, const Vector<T, N>& v) {
  *reinterpret_cast<Vector<T, N>*>(p) = v;
}

// Calls f(element, its place) for what thread t of `threads` has of a row, N neighbours at a time.
template <int N, int kUnroll, class T, class F>
__device__ __forceinline__ void each_of_row(const T* row, int cols, int t, int threads, F f) {
#pragma unroll kUnroll
  for (int i = t * N; i < cols; i += threads * N) {
    const auto v = load<N>(row + i);
#pragma unroll
    for (int j = 0; j < N; ++j) f(v.v[j], i + j);
  }
}

struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};
struct Most {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// Of the kLanes lanes beside each other, in all of them. All lanes of the warp take part.
template <int kLanes = 32, class T, class F>
__device__ __forceinline__ T of_lanes(T v, F f) {
#pragma unroll
  for (int d = kLanes / 2; d > 0; d /= 2) v = f(v, __shfl_xor_sync(~0u, v, d));
  return v;
}

// Of the kThreads threads of a row of the block (t: the thread in the row), in all of them. `part` is shared and has
// kThreads / 32 elements a row. All threads of the block take part.
template <int kThreads, class T, class F>
__device__ __forceinline__ T of_threads(T v, int t, T* part, F f) {
  v = of_lanes<(kThreads < 32 ? kThreads : 32)>(v, f);
  if constexpr (kThreads > 32) {
    __syncthreads();
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    v = part[0];
#pragma unroll
    for (int i = 1; i < kThreads / 32; ++i) v = f(v, part[i]);
  }
  return v;
}

// What thread t of kThreads has of a row, kept in at most kHeld vectors of registers.
template <class T, int N, int kHeld, int kThreads>
class HeldRow {
 public:
  static constexpr int kWidth = N;

  __device__ __forceinline__ HeldRow(const T* row, int cols, int t) : cols_(cols), t_(t) {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (place(i) < cols_) held_[i] = load<N>(row + place(i));
  }
  // Calls f(element, its column).
  template <class F>
  __device__ __forceinline__ void each(F f) const {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (place(i) < cols_) {
#pragma unroll
        for (int j = 0; j < N; ++j) f(held_[i].v[j], place(i) + j);
      }
  }
  // Calls f(vector, its first column), whose result is stored there.
  template <class F, class U>
  __device__ __forceinline__ void write(U* to, F f) const {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (place(i) < cols_) store(to + place(i), f(held_[i], place(i)));
  }

 private:
  __device__ __forceinline__ int place(int i) const { return (t_ + i * kThreads) * N; }

  Vector<T, N> held_[kHeld];
  int cols_, t_;
};

// The same, read again each time.
template <class T, int N, int kThreads>
class StreamedRow {
 public:
  static constexpr int kWidth = N;

  __device__ __forceinline__ StreamedRow(const T* row, int cols, int t) : row_(row), cols_(cols), t_(t) {}
  template <class F>
  __device__ __forceinline__ void each(F f) const {
    each_of_row<N, 4>(row_, cols_, t_, kThreads, f);
  }
  template <class F, class U>
  __device__ __forceinline__ void write(U* to, F f) const {
#pragma unroll 2
    for (int i = t_ * N; i < cols_; i += kThreads * N) store(to + i, f(load<N>(row_ + i), i));
  }

 private:
  const T* row_;
  int cols_, t_;
};

// Calls f(row) with a row that suits its length: in registers where it fits, by vectors where it is a whole number of
// them.
template <int N, int kHeld, int kThreads, class T, class F>
__device__ __forceinline__ void with_row(const T* row, int cols, int t, F f) {
  if (cols % N != 0) {
    f(StreamedRow<T, 1, kThreads>(row, cols, t));
    return;
  }
  if constexpr (kHeld > 0) {
    if (cols <= kHeld * kThreads * N) {
      f(HeldRow<T, N, kHeld, kThreads>(row, cols, t));
      return;
    }
  }
  f(StreamedRow<T, N, kThreads>(row, cols, t));
}
