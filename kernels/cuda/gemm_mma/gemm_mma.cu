// One 16 x 8 tile a warp with ldmatrix and mma.sync written as inline PTX.
#include <cuda_fp16.h>

extern "C" __global__ void gemm_mma(const half* __restrict__ a, const half* __restrict__ b,
                                    float* __restrict__ c, int n, int k) {
  __shared__ __align__(16) half sa[16][16], sb[16][8];
  const int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int i = lane; i < 32; i += 32)
      reinterpret_cast<uint4*>(sa)[i] = *reinterpret_cast<const uint4*>(a + (row + i / 2) * k + k0 + i % 2 * 8);
    if (lane < 16) reinterpret_cast<uint4*>(sb)[lane] = *reinterpret_cast<const uint4*>(b + (k0 + lane) * n + col);
    __syncwarp();
    unsigned fa[4], fb[2];
    const unsigned at_a = static_cast<unsigned>(__cvta_generic_to_shared(&sa[lane % 16][lane / 16 * 8]));
    const unsigned at_b = static_cast<unsigned>(__cvta_generic_to_shared(&sb[lane % 16][0]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at_a));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"(at_b));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    __syncwarp();
  }
  float2* out = reinterpret_cast<float2*>(c + (row + lane / 4) * n + col + lane % 4 * 2);
  out[0] = make_float2(d[0], d[1]);
  out[4 * n] = make_float2(d[2], d[3]);
}
