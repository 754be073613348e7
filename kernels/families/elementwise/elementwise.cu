// y = gelu(a x + b) + y, the pattern of a fused layer: two streams in, one out.
//   BLOCK threads, VEC floats a load, ITEMS loads a thread before the first is used; ORDER: 0 a block's
//   loads are BLOCK apart, 1 a thread's loads are neighbours, 2 as 0 in a grid of a fixed number of
//   blocks that goes over all data; HINT: 0 none, 1 data leave the caches first, 2 loads bypass L1;
//   EXACT: tanh of the library (1) or from the hardware's exponential (0); LIMIT: bytes of shared memory
//   that keep blocks away from a multiprocessor.
#if VEC == 1
using Vector = float;
#elif VEC == 2
using Vector = float2;
#else
using Vector = float4;
#endif

__device__ __forceinline__ Vector load(const Vector* p) {
#if HINT == 1
  return __ldcs(p);
#elif HINT == 2
  return __ldcg(p);
#else
  return *p;
#endif
}
__device__ __forceinline__ void store(Vector* p, Vector v) {
#if HINT == 1
  __stcs(p, v);
#elif HINT == 2
  __stcg(p, v);
#else
  *p = v;
#endif
}

__device__ __forceinline__ float tanh_of(float x) {
#if EXACT
  return tanhf(x);
#else
  return 1.0f - __fdividef(2.0f, 1.0f + __expf(2.0f * x));
#endif
}
__device__ __forceinline__ void fuse(float x, float& y, float a, float b) {
  const float t = a * x + b;
  y += 0.5f * t * (1.0f + tanh_of(0.7978846f * (t + 0.044715f * t * t * t)));
}
__device__ __forceinline__ Vector fused(Vector x, Vector y, float a, float b) {
#if VEC == 1
  fuse(x, y, a, b);
#elif VEC == 2
  fuse(x.x, y.x, a, b);
  fuse(x.y, y.y, a, b);
#else
  fuse(x.x, y.x, a, b);
  fuse(x.y, y.y, a, b);
  fuse(x.z, y.z, a, b);
  fuse(x.w, y.w, a, b);
#endif
  return y;
}

// ITEMS vectors, `apart` from each other.
__device__ __forceinline__ void chunk(const Vector* x, Vector* y, long first, int apart, long vectors, float a,
                                      float b) {
  Vector vx[ITEMS], vy[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * apart < vectors) vx[i] = load(x + first + i * apart), vy[i] = load(y + first + i * apart);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (first + i * apart < vectors) store(y + first + i * apart, fused(vx[i], vy[i], a, b));
}

// n is a multiple of VEC.
extern "C" __global__ void __launch_bounds__(BLOCK)
elementwise(const Vector* __restrict__ x, Vector* __restrict__ y, float a, float b, long n) {
  const long vectors = n / VEC;
#if ORDER == 0
  chunk(x, y, long{blockIdx.x} * BLOCK * ITEMS + threadIdx.x, BLOCK, vectors, a, b);
#elif ORDER == 1
  chunk(x, y, (long{blockIdx.x} * BLOCK + threadIdx.x) * ITEMS, 1, vectors, a, b);
#else
  for (long base = long{blockIdx.x} * BLOCK * ITEMS; base < vectors; base += long{gridDim.x} * BLOCK * ITEMS)
    chunk(x, y, base + threadIdx.x, BLOCK, vectors, a, b);
#endif
}
