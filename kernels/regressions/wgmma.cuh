// The few warpgroup instructions the wgmma regressions share (sm_90a only).
#pragma once
#include <cuda_fp16.h>

#include <cstdint>

__device__ __forceinline__ void warpgroup_arrive() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void warpgroup_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// d += A * B for a 64 x 8 x 16 tile; both operands are shared-memory descriptors.
__device__ __forceinline__ void mma_64x8x16(float (&d)[4], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b));
}

// Descriptor of a tile of 8 x 8 core matrices without swizzle.
__device__ __forceinline__ uint64_t tile_descriptor(const half* tile) {
  const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(tile));
  return uint64_t((at & 0x3FFFF) >> 4) | uint64_t(8) << 16 | uint64_t(16) << 32;
}

constexpr int kTileA = 64 * 16;
constexpr int kTileB = 8 * 16;

// Loads the step's tiles of both operands; 128 threads.
__device__ __forceinline__ void load_tiles(half* sa, half* sb, const half* a, const half* b,
                                           int step) {
  for (int j = threadIdx.x; j < kTileA; j += 128) sa[j] = a[step * kTileA + j];
  sb[threadIdx.x] = b[step * kTileB + threadIdx.x];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}
