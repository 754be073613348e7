// Warp reductions in one instruction (sm_80 and later): sum, minimum, exclusive or.
extern "C" __global__ void redux_ints(const unsigned* __restrict__ x, unsigned* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned v = i < n ? x[i] : 0u;
  const unsigned sum = __reduce_add_sync(0xffffffffu, v), least = __reduce_min_sync(0xffffffffu, v),
                 parity = __reduce_xor_sync(0xffffffffu, v);
  if (threadIdx.x % 32 == 0) {
    out[i / 32 * 3] = sum;
    out[i / 32 * 3 + 1] = least;
    out[i / 32 * 3 + 2] = parity;
  }
}
