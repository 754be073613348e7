// Softmax of each row, f32. A row has THREADS threads, a block has ROWS rows.
// METHOD 0: three passes over global memory; 1: two, the maximum and the sum at once; 2: the row is kept in
// shared memory; 3: in registers. Columns are a multiple of VEC, at most 2048; rows a multiple of ROWS.
constexpr int kUnroll = UNROLL, kMost = 2048, kHeld = (kMost / VEC + THREADS - 1) / THREADS;
constexpr float kLeast = -3.4e38f;

struct alignas(4 * VEC) Vector {
  float v[VEC];
};

__device__ float power(float x) { return FAST ? __expf(x) : expf(x); }

template <bool kMaximum>
__device__ float two(float a, float b) {
  return kMaximum ? fmaxf(a, b) : a + b;
}

// Of the threads of a row, in all of them.
template <bool kMaximum>
__device__ float all(float v) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  if constexpr (SHUFFLE) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) v = two<kMaximum>(v, __shfl_xor_sync(~0u, v, d));
    if constexpr (THREADS > 32) {
      __shared__ float of_warp[ROWS][THREADS / 32];
      __syncthreads();
      if (tx % 32 == 0) of_warp[ty][tx / 32] = v;
      __syncthreads();
      v = of_warp[ty][0];
#pragma unroll
      for (int w = 1; w < THREADS / 32; ++w) v = two<kMaximum>(v, of_warp[ty][w]);
    }
    return v;
  } else {
    __shared__ float of_thread[ROWS][THREADS];
    __syncthreads();
    of_thread[ty][tx] = v;
    for (int d = THREADS / 2; d > 0; d /= 2) {
      __syncthreads();
      if (tx < d) of_thread[ty][tx] = two<kMaximum>(of_thread[ty][tx], of_thread[ty][tx + d]);
    }
    __syncthreads();
    return of_thread[ty][0];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    softmax_rows(const float* __restrict__ x, float* __restrict__ y, int columns) {
  const int tx = threadIdx.x, vectors = columns / VEC;
  const long long row = (blockIdx.x * ROWS + threadIdx.y) * static_cast<long long>(columns);
  const Vector* in = reinterpret_cast<const Vector*>(x + row);
  Vector* out = reinterpret_cast<Vector*>(y + row);
  float top = kLeast, sum = 0;

  if constexpr (METHOD == 3) {
    Vector held[kHeld];
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (tx + i * THREADS < vectors) {
        held[i] = in[tx + i * THREADS];
#pragma unroll
        for (int j = 0; j < VEC; ++j) top = fmaxf(top, held[i].v[j]);
      }
    top = all<true>(top);
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (tx + i * THREADS < vectors) {
#pragma unroll
        for (int j = 0; j < VEC; ++j) sum += held[i].v[j] = power(held[i].v[j] - top);
      }
    const float scale = 1 / all<false>(sum);
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (tx + i * THREADS < vectors) {
#pragma unroll
        for (int j = 0; j < VEC; ++j) held[i].v[j] *= scale;
        out[tx + i * THREADS] = held[i];
      }
    return;
  }

  extern __shared__ __align__(16) float rows[];
  Vector* kept = reinterpret_cast<Vector*>(rows + threadIdx.y * columns);
  if constexpr (METHOD == 1) {
#pragma unroll kUnroll
    for (int i = tx; i < vectors; i += THREADS) {
      const Vector v = in[i];
#pragma unroll
      for (int j = 0; j < VEC; ++j) {
        const float higher = fmaxf(top, v.v[j]);
        sum = sum * power(top - higher) + power(v.v[j] - higher);
        top = higher;
      }
    }
    const float own = top;
    top = all<true>(top);
    sum *= power(own - top);
  } else {
#pragma unroll kUnroll
    for (int i = tx; i < vectors; i += THREADS) {
      const Vector v = in[i];
      if (METHOD == 2) kept[i] = v;
#pragma unroll
      for (int j = 0; j < VEC; ++j) top = fmaxf(top, v.v[j]);
    }
    top = all<true>(top);
#pragma unroll kUnroll
    for (int i = tx; i < vectors; i += THREADS) {
      const Vector v = METHOD == 2 ? kept[i] : in[i];
#pragma unroll
      for (int j = 0; j < VEC; ++j) sum += power(v.v[j] - top);
    }
  }
  const float scale = 1 / all<false>(sum);
#pragma unroll kUnroll
  for (int i = tx; i < vectors; i += THREADS) {
    Vector v = METHOD == 2 ? kept[i] : in[i];
#pragma unroll
    for (int j = 0; j < VEC; ++j) v.v[j] = power(v.v[j] - top) * scale;
    out[i] = v;
  }
}
