// out[0] += the sum of n values. A block sums its share, then the blocks' sums meet.
// BLOCK_SUM 0: tree in shared memory, neighbours first (divergent); 1: tree, halves first; 2: shuffles.
// FINISH 0: an atomic add a thread; 1: a warp; 2: a block; 3: partial sums, added by the last block to arrive.
// n is a multiple of BLOCK * VEC * ITEMS.
#if LOAD == 1
#define PITOT_LOAD(p) __ldcs(p)
#else
#define PITOT_LOAD(p) __ldg(p)
#endif

constexpr int kItems = ITEMS;

__device__ float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

// Of all threads, in thread 0.
__device__ float block_sum(float v) {
  const int t = threadIdx.x;
#if BLOCK_SUM == 2
  __shared__ float sums[BLOCK / 32];
  v = warp_sum(v);
  if (t % 32 == 0) sums[t / 32] = v;
  __syncthreads();
  v = t < BLOCK / 32 ? sums[t] : 0.0f;
  return t < 32 ? warp_sum(v) : v;
#else
  __shared__ float sums[BLOCK];
  sums[t] = v;
  __syncthreads();
#if BLOCK_SUM == 0
  for (int d = 1; d < BLOCK; d *= 2) {
    if (t % (2 * d) == 0) sums[t] += sums[t + d];
    __syncthreads();
  }
#else
#pragma unroll
  for (int d = BLOCK / 2; d > 0; d /= 2) {
    if (t < d) sums[t] += sums[t + d];
    __syncthreads();
  }
#endif
  return sums[0];
#endif
}

__device__ float sum_of(float v) { return v; }
__device__ float sum_of(float2 v) { return v.x + v.y; }
__device__ float sum_of(float4 v) { return v.x + v.y + (v.z + v.w); }

#if VEC == 1
using Vector = float;
#elif VEC == 2
using Vector = float2;
#else
using Vector = float4;
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction(const float* __restrict__ x, float* __restrict__ out, float* partial, unsigned* arrived, int n) {
  const Vector* in = reinterpret_cast<const Vector*>(x);
  const int t = threadIdx.x, vectors = n / VEC;
  float sum[kItems] = {};
  // Blocks take pieces one after the other, so that a grid of any size does it all.
  for (int first = blockIdx.x * BLOCK * ITEMS; first < vectors; first += gridDim.x * BLOCK * ITEMS)
#pragma unroll
    for (int i = 0; i < kItems; ++i) sum[i] += sum_of(PITOT_LOAD(in + first + (NEIGHBOURS ? t * ITEMS + i : t + i * BLOCK)));
  float v = 0;
#pragma unroll
  for (int i = 0; i < kItems; ++i) v += sum[i];
#if FINISH == 0
  atomicAdd(out, v);
#elif FINISH == 1
  v = warp_sum(v);
  if (t % 32 == 0) atomicAdd(out, v);
#elif FINISH == 2
  v = block_sum(v);
  if (t == 0) atomicAdd(out, v);
#else
  __shared__ bool last;
  v = block_sum(v);
  if (t == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  v = 0;
  for (int i = t; i < gridDim.x; i += BLOCK) v += __ldcg(partial + i);
  __syncthreads();
  v = block_sum(v);
  if (t == 0) *out += v;
#endif
}
