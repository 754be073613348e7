// silu(gate) * value, VEC elements a thread. Rows whose length is no multiple of VEC are done element by element.
#include <cuda_bf16.h>

#include "../tuned.cuh"

__device__ __forceinline__ __nv_bfloat16 swiglu(__nv_bfloat16 g, __nv_bfloat16 u) {
  const float gate = __bfloat162float(g);
  return __float2bfloat16_rn(gate / (1.0f + expf(-gate)) * __bfloat162float(u));
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    swiglu_bf16(const __nv_bfloat16* __restrict__ x, __nv_bfloat16* __restrict__ y, int rows, int cols) {
  const __nv_bfloat16* gate = x + 2 * blockIdx.y * static_cast<long long>(cols);
  const __nv_bfloat16* value = gate + cols;
  y += blockIdx.y * static_cast<long long>(cols);
  if (cols % VEC == 0) {
    const int c = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
    if (c >= cols) return;
    auto g = load<VEC>(gate + c);
    const auto u = load<VEC>(value + c);
#pragma unroll
    for (int j = 0; j < VEC; ++j) g.v[j] = swiglu(g.v[j], u.v[j]);
    store(y + c, g);
  } else {
#pragma unroll
    for (int j = 0; j < VEC; ++j) {
      const int c = (blockIdx.x * VEC + j) * BLOCK + threadIdx.x;
      if (c < cols) y[c] = swiglu(gate[c], value[c]);
    }
  }
}
