// Ballot, match, vote and integer warp reductions; compaction of the kept elements.
extern "C" __global__ void warp_votes(const int* __restrict__ x, int* __restrict__ kept, int* count, int n,
                                      int threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int v = i < n ? x[i] : threshold;
  const unsigned mask = __ballot_sync(0xffffffffu, v > threshold);
  if (__any_sync(0xffffffffu, v > threshold)) {
    int base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    const unsigned same = __match_any_sync(0xffffffffu, v);
    if (v > threshold) kept[base + __popc(mask & ((1u << lane) - 1))] = v + (__ffs(same) - 1 == lane ? 0 : 1);
  }
}
