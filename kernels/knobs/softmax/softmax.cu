// Softmax of each row of an n x n matrix, a block a row. STAGE 1 keeps the row in shared memory (PAD floats after every
// 32), STAGE 0 reads it three times.

constexpr int kUnroll = UNROLL;

template <bool kMax>
__device__ float over_block(float v) {
  __shared__ float warps[BLOCK / 32];
  auto join = [](float a, float b) { return kMax ? fmaxf(a, b) : a + b; };
  for (int d = 16; d > 0; d /= 2) v = join(v, __shfl_xor_sync(~0u, v, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  v = lane < BLOCK / 32 ? warps[lane] : kMax ? -INFINITY : 0;
  for (int d = 16; d > 0; d /= 2) v = join(v, __shfl_xor_sync(~0u, v, d));
  return v;
}

template <int kVector>
struct alignas(4 * kVector) Vector {
  float v[kVector];
};

__device__ int place(int i) { return i + i / 32 * PAD; }

template <int kVector>
__device__ void softmax_row(const float* __restrict__ x, float* __restrict__ y, int n) {
  extern __shared__ float kept[];
  using V = Vector<kVector>;
  const int vectors = n / kVector;
  float top = -INFINITY;
#pragma unroll kUnroll
  for (int i = threadIdx.x; i < vectors; i += BLOCK) {
    const V in = reinterpret_cast<const V*>(x)[i];
#pragma unroll
    for (int e = 0; e < kVector; ++e) {
      top = fmaxf(top, in.v[e]);
      if (STAGE) kept[place(i * kVector + e)] = in.v[e];
    }
  }
  top = over_block<true>(top);
  // A thread reads again only what it has written.
  auto read = [&](int i) {
    V in;
    if (STAGE) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) in.v[e] = kept[place(i * kVector + e)];
    } else {
      in = reinterpret_cast<const V*>(x)[i];
    }
    return in;
  };
  float sum = 0;
#pragma unroll kUnroll
  for (int i = threadIdx.x; i < vectors; i += BLOCK) {
    const V in = read(i);
#pragma unroll
    for (int e = 0; e < kVector; ++e) {
      const float p = __expf(in.v[e] - top);
      sum += p;
      if (STAGE) kept[place(i * kVector + e)] = p;
    }
  }
  sum = 1 / over_block<false>(sum);
#pragma unroll kUnroll
  for (int i = threadIdx.x; i < vectors; i += BLOCK) {
    V out = read(i);
#pragma unroll
    for (int e = 0; e < kVector; ++e) out.v[e] = (STAGE ? out.v[e] : __expf(out.v[e] - top)) * sum;
    reinterpret_cast<V*>(y)[i] = out;
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK) softmax(const float* __restrict__ x, float* __restrict__ y, int n) {
  const size_t row = static_cast<size_t>(blockIdx.x) * n;
  // Rows of other lengths do not begin at multiples of a vector.
  if (VEC > 1 && n % VEC != 0) {
    softmax_row<1>(x + row, y + row, n);
  } else {
    softmax_row<VEC>(x + row, y + row, n);
  }
}
