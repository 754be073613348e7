// 256-bit integers: addition with a carry chain and a truncated product, as inline PTX.
extern "C" __global__ void add_256(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                                   unsigned* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s[8];
  asm("add.cc.u32 %0, %1, %2;" : "=r"(s[0]) : "r"(a[i * 8]), "r"(b[i * 8]));
#pragma unroll
  for (int w = 1; w < 7; ++w)
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(s[w]) : "r"(a[i * 8 + w]), "r"(b[i * 8 + w]));
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(s[7]) : "r"(a[i * 8 + 7]), "r"(b[i * 8 + 7]));
#pragma unroll
  for (int w = 0; w < 8; ++w) out[i * 8 + w] = s[w];
}

extern "C" __global__ void mul_128(const uint4* __restrict__ a, const uint4* __restrict__ b,
                                   uint4* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 x = a[i], y = b[i];
  uint4 p;
  asm("{\n"
      "mul.lo.u32      %0, %4, %8;\n"
      "mul.hi.u32      %1, %4, %8;\n"
      "mad.lo.cc.u32   %1, %4, %9, %1;\n"
      "madc.hi.u32     %2, %4, %9, 0;\n"
      "mad.lo.cc.u32   %1, %5, %8, %1;\n"
      "madc.hi.cc.u32  %2, %5, %8, %2;\n"
      "madc.hi.u32     %3, %4, %10, 0;\n"
      "mad.lo.cc.u32   %2, %4, %10, %2;\n"
      "madc.hi.u32     %3, %5, %9, %3;\n"
      "mad.lo.cc.u32   %2, %5, %9, %2;\n"
      "madc.hi.u32     %3, %6, %8, %3;\n"
      "mad.lo.cc.u32   %2, %6, %8, %2;\n"
      "madc.lo.u32     %3, %4, %11, %3;\n"
      "mad.lo.u32      %3, %5, %10, %3;\n"
      "mad.lo.u32      %3, %6, %9, %3;\n"
      "mad.lo.u32      %3, %7, %8, %3;\n"
      "}"
      : "=&r"(p.x), "=&r"(p.y), "=&r"(p.z), "=&r"(p.w)
      : "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w), "r"(y.x), "r"(y.y), "r"(y.z), "r"(y.w));
  out[i] = p;
}
