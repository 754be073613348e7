// Layer norm of each row of halves, computed in f32. A row has THREADS threads, a block has ROWS rows at a time
// and does LOOP such groups one after the other.
// METHOD 0: mean, then variance, from global memory; 1: sum and sum of squares in one pass; 2: Welford's
// recurrence; 3: the row is kept in registers; 4: in shared memory.
// Columns are a multiple of VEC, at most 4096; rows a multiple of ROWS * LOOP.
#include <cuda_fp16.h>

constexpr int kUnroll = UNROLL, kMost = 4096, kHeld = (kMost / VEC + THREADS - 1) / THREADS;

struct alignas(2 * VEC) Vector {
  __half v[VEC];
};

// Of the threads of a row, in all of them.
__device__ float all(float v) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  if constexpr (SHUFFLE) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if constexpr (THREADS > 32) {
      __shared__ float of_warp[ROWS][THREADS / 32];
      __syncthreads();
      if (tx % 32 == 0) of_warp[ty][tx / 32] = v;
      __syncthreads();
      v = 0;
#pragma unroll
      for (int w = 0; w < THREADS / 32; ++w) v += of_warp[ty][w];
    }
    return v;
  } else {
    __shared__ float of_thread[ROWS][THREADS];
    __syncthreads();
    of_thread[ty][tx] = v;
    for (int d = THREADS / 2; d > 0; d /= 2) {
      __syncthreads();
      if (tx < d) of_thread[ty][tx] += of_thread[ty][tx + d];
    }
    __syncthreads();
    return of_thread[ty][0];
  }
}

__device__ Vector normal(const Vector& x, float mean, float scale, const Vector& gain, const Vector& bias) {
  Vector y;
#pragma unroll
  for (int j = 0; j < VEC; ++j)
    y.v[j] = __float2half((__half2float(x.v[j]) - mean) * scale * __half2float(gain.v[j]) + __half2float(bias.v[j]));
  return y;
}

extern "C" __global__ void __launch_bounds__(THREADS* ROWS)
    layernorm(const __half* __restrict__ x, const __half* __restrict__ gain, const __half* __restrict__ bias,
              __half* __restrict__ y, int columns, float epsilon) {
  extern __shared__ __align__(16) __half rows[];
  const int tx = threadIdx.x, vectors = columns / VEC;
  const float inverse = 1.0f / columns;
  const Vector* gains = reinterpret_cast<const Vector*>(gain);
  const Vector* biases = reinterpret_cast<const Vector*>(bias);
  Vector* kept = reinterpret_cast<Vector*>(rows + threadIdx.y * columns);
  for (int group = 0; group < LOOP; ++group) {
    const long long row = ((blockIdx.x * LOOP + group) * ROWS + threadIdx.y) * static_cast<long long>(columns);
    const Vector* in = reinterpret_cast<const Vector*>(x + row);
    Vector* out = reinterpret_cast<Vector*>(y + row);
    if constexpr (METHOD == 3) {
      Vector held[kHeld];
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kHeld; ++i)
        if (tx + i * THREADS < vectors) {
          held[i] = in[tx + i * THREADS];
#pragma unroll
          for (int j = 0; j < VEC; ++j) sum += __half2float(held[i].v[j]);
        }
      const float mean = all(sum) * inverse;
      float squares = 0;
#pragma unroll
      for (int i = 0; i < kHeld; ++i)
        if (tx + i * THREADS < vectors) {
#pragma unroll
          for (int j = 0; j < VEC; ++j) {
            const float d = __half2float(held[i].v[j]) - mean;
            squares += d * d;
          }
        }
      const float scale = rsqrtf(all(squares) * inverse + epsilon);
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        const int at = tx + i * THREADS;
        if (at < vectors) out[at] = normal(held[i], mean, scale, gains[at], biases[at]);
      }
    } else {
      float count = 0, mean = 0, squares = 0;
#pragma unroll kUnroll
      for (int i = tx; i < vectors; i += THREADS) {
        const Vector v = in[i];
        if (METHOD == 4) kept[i] = v;
#pragma unroll
        for (int j = 0; j < VEC; ++j) {
          const float f = __half2float(v.v[j]);
          if (METHOD == 2) {
            const float d = f - mean;
            count += 1;
            mean += d / count;
            squares += d * (f - mean);
          } else {
            mean += f;
            if (METHOD == 1) squares += f * f;
          }
        }
      }
      if (METHOD == 2) {
        const float whole = all(mean * count) * inverse;
        squares = all(squares + count * (mean - whole) * (mean - whole));
        mean = whole;
      } else {
        mean = all(mean) * inverse;
        if (METHOD == 1) {
          squares = all(squares) - mean * mean * columns;
        } else {
#pragma unroll kUnroll
          for (int i = tx; i < vectors; i += THREADS) {
            const Vector v = METHOD == 4 ? kept[i] : in[i];
#pragma unroll
            for (int j = 0; j < VEC; ++j) {
              const float d = __half2float(v.v[j]) - mean;
              squares += d * d;
            }
          }
          squares = all(squares);
        }
      }
      const float scale = rsqrtf(squares * inverse + epsilon);
#pragma unroll kUnroll
      for (int i = tx; i < vectors; i += THREADS)
        out[i] = normal(METHOD == 4 ? kept[i] : in[i], mean, scale, gains[i], biases[i]);
    }
  }
}
