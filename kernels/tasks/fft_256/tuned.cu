// Fourier transforms of 256 points, EACH of them a block: passes of radix RADIX in registers, between which points go
// through shared memory (Stockham's order). TABLE: roots of unity from shared memory, otherwise computed.
#include "../tuned.cuh"

constexpr int kThreads = 256 / RADIX;

__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// exp(-2 pi i k / 256)
__device__ __forceinline__ float2 root(int k) {
  float2 r;
  sincospif(k * (-2.0f / 256), &r.y, &r.x);
  return r;
}

__device__ __forceinline__ void four(float2& a, float2& b, float2& c, float2& d) {
  const float2 ac = a + c, a_c = a - c, bd = b + d, b_d = b - d, turned = make_float2(-b_d.y, b_d.x);
  a = ac + bd;
  b = a_c - turned;
  c = ac - bd;
  d = a_c + turned;
}

// v[k] becomes the transform's k-th value.
__device__ __forceinline__ void transform(float2 (&v)[RADIX]) {
  if constexpr (RADIX == 4) {
    four(v[0], v[1], v[2], v[3]);
  } else {
    // exp(-2 pi i k / 16) for the products of 1, 2, 3
    constexpr float kC1 = 0.92387953251f, kS1 = 0.38268343236f, kC2 = 0.70710678119f;
#pragma unroll
    for (int i = 0; i < 4; ++i) four(v[i], v[i + 4], v[i + 8], v[i + 12]);
    v[5] = times(v[5], make_float2(kC1, -kS1));
    v[6] = times(v[6], make_float2(kC2, -kC2));
    v[7] = times(v[7], make_float2(kS1, -kC1));
    v[9] = times(v[9], make_float2(kC2, -kC2));
    v[10] = make_float2(v[10].y, -v[10].x);
    v[11] = times(v[11], make_float2(-kC2, -kC2));
    v[13] = times(v[13], make_float2(kS1, -kC1));
    v[14] = times(v[14], make_float2(-kC2, -kC2));
    v[15] = times(v[15], make_float2(-kC1, kS1));
#pragma unroll
    for (int i = 0; i < 4; ++i) four(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
      // The 4 i + j-th is the value of i + 4 j.
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = i + 1; j < 4; ++j) {
        const float2 t = v[4 * i + j];
        v[4 * i + j] = v[4 * j + i];
        v[4 * j + i] = t;
      }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads* EACH)
    fft_256(const float2* __restrict__ x, float2* __restrict__ y, int batch) {
  __shared__ float2 points[EACH][256 + 16];
#if TABLE
  __shared__ float2 roots[256];
  for (int i = threadIdx.y * kThreads + threadIdx.x; i < 256; i += kThreads * EACH) roots[i] = root(i);
  __syncthreads();
#endif
  const int t = threadIdx.x, b = blockIdx.x * EACH + threadIdx.y;
  const long long first = min(b, batch - 1) * 256LL;
  float2* own = points[threadIdx.y];
  auto slot = [](int i) { return i + i / 16; };
  float2 v[RADIX];
#pragma unroll
  for (int k = 0; k < RADIX; ++k) v[k] = x[first + t + k * kThreads];
#pragma unroll
  for (int n = 256, s = 1; n > 1; n /= RADIX, s *= RADIX) {
    const int p = t / s, q = t % s;
    transform(v);
    if (n > RADIX) {
      if (s > 1) __syncthreads();
#pragma unroll
      for (int k = 0; k < RADIX; ++k) {
#if TABLE
        own[slot(q + s * (RADIX * p + k))] = times(v[k], roots[k * p * s]);
#else
        own[slot(q + s * (RADIX * p + k))] = times(v[k], root(k * p * s));
#endif
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < RADIX; ++k) v[k] = own[slot(t + k * kThreads)];
    } else if (b < batch) {
#pragma unroll
      for (int k = 0; k < RADIX; ++k) y[first + q + s * k] = v[k];
    }
  }
}
