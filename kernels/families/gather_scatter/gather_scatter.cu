// Rows of 16 floats from one random place to another: out[to[i]] = scale * in[from[i]].
//   VEC floats a load; SHARED: a row's vectors belong to neighbouring threads (1) or to one (0); ITEMS rows
//   of a thread under way at once, BLOCK / lanes apart (ORDER 0) or neighbours (1); HINT: 0 none, 1 loads
//   through the read-only path and stores that leave the caches first, 2 loads and stores bypass L1.
#if VEC == 1
using Vector = float;
#elif VEC == 2
using Vector = float2;
#else
using Vector = float4;
#endif
constexpr int kWidth = 16, kVectors = kWidth / VEC, kLanes = SHARED ? kVectors : 1, kOwn = kVectors / kLanes;

__device__ __forceinline__ Vector load(const Vector* p) {
#if HINT == 1
  return __ldg(p);
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
__device__ __forceinline__ Vector scaled(Vector v, float s) {
#if VEC == 1
  return v * s;
#elif VEC == 2
  return make_float2(v.x * s, v.y * s);
#else
  return make_float4(v.x * s, v.y * s, v.z * s, v.w * s);
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK)
gather_scatter(const Vector* in, const unsigned* __restrict__ from, const unsigned* __restrict__ to, Vector* out,
               float scale, int rows) {
  const int lane = threadIdx.x % kLanes, worker = threadIdx.x / kLanes;
  constexpr int kWorkers = BLOCK / kLanes;
  const int base = blockIdx.x * kWorkers * ITEMS;
  unsigned source[ITEMS], target[ITEMS];
  int row[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    row[i] = base + (ORDER ? worker * ITEMS + i : i * kWorkers + worker);
    if (row[i] < rows) source[i] = from[row[i]], target[i] = to[row[i]];
  }
  Vector v[ITEMS][kOwn];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
#pragma unroll
    for (int j = 0; j < kOwn; ++j)
      if (row[i] < rows) v[i][j] = load(in + size_t{source[i]} * kVectors + j * kLanes + lane);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
#pragma unroll
    for (int j = 0; j < kOwn; ++j)
      if (row[i] < rows) store(out + size_t{target[i]} * kVectors + j * kLanes + lane, scaled(v[i][j], scale));
}
