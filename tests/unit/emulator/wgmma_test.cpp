// wgmma against a plain triple loop. Matrices are placed in shared memory by the canonical layouts
// of the PTX ISA, written as CuTe strides in elements with Swizzle<b,4,3> on the byte address.
#include "tensor_test_util.h"

namespace pitot::emulator::test::wgmma_test {
namespace {

struct Element {
  const char* name;
  unsigned bits;  // in memory
  enum Kind { kFloat, kSigned, kUnsigned, kBit } kind;
  Format format;
};
const Element kF16{"f16", 16, Element::kFloat, kHalfFormat},
    kBf16{"bf16", 16, Element::kFloat, kBrain}, kTf32{"tf32", 32, Element::kFloat, kTf32Format},
    kE4m3{"e4m3", 8, Element::kFloat, kE4m3Format}, kE5m2{"e5m2", 8, Element::kFloat, kE5m2Format},
    kS8{"s8", 8, Element::kSigned, {}}, kU8{"u8", 8, Element::kUnsigned, {}},
    kB1{"b1", 1, Element::kBit, {}};

double decode(const Element& e, uint32_t raw) {
  if (e.kind == Element::kFloat) return value_of(e.format, e.bits == 32 ? raw >> 13 : raw);
  if (e.kind == Element::kSigned)
    return raw >= 128 ? static_cast<int>(raw) - 256 : static_cast<int>(raw);
  return raw;
}

uint32_t random_element(const Element& e, std::mt19937& rng) {
  const uint32_t r = rng();
  if (e.kind == Element::kFloat) {
    // ±½ … ±3 with one bit of mantissa, so that every sum is exact however it is made.
    const int m = e.format.mantissa;
    const uint32_t bias = (1u << (e.format.exponent - 1)) - 1;
    uint32_t v = (bias - 1 + r % 3) << m | (r >> 8 & 1) << (m - 1);
    v |= (r >> 9 & 1) << (e.format.exponent + m);
    return e.bits == 32 ? v << 13 | (r >> 19) : v;
  }
  return e.bits == 8 ? r & 0xff : r & 1;
}

struct Placement {
  unsigned swizzle = 0;  // bytes
  bool mn_major = false;
  uint64_t start = 0, leading = 0, stride = 0;  // bytes
};

// Bit address of (mn, k).
uint64_t bit_address(const Placement& p, const Element& e, unsigned mn, unsigned k) {
  const unsigned t = 128 / e.bits, s = p.swizzle / 16;
  const uint64_t lbo = p.leading * 8 / e.bits, sbo = p.stride * 8 / e.bits;  // in elements
  uint64_t at = 0;
  if (!p.mn_major) {
    // ((8,m),(T,2k)) : ((rT,SBO),(1,LBO or T)), r = 1, 2, 4, 8
    const uint64_t row = s == 0 ? t : uint64_t{s} * t;
    at = mn % 8 * row + mn / 8 * sbo + k % t + k / t * (s == 0 ? lbo : t);
  } else if (s == 0) {
    // ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO))
    at = mn % t + mn / t * sbo + k % 8 * t + k / 8 * lbo;
  } else {
    // ((T,r,m),(8,k)) : ((1,T,LBO),(rT,SBO))
    at = mn % t + mn / t % s * t + mn / t / s * lbo + k % 8 * s * t + k / 8 * sbo;
  }
  uint64_t bit = at * e.bits + p.start * 8;
  // Swizzle<b,4,3> on the byte address: b bits from bit 7 on go onto those from bit 4 on.
  const uint64_t mask = s == 0 ? 0 : s - 1;
  return bit ^ ((bit >> 10 & mask) << 7);
}

void put(std::vector<uint32_t>& words, uint64_t bit, unsigned bits, uint32_t value) {
  uint32_t& w = words.at(bit / 32);
  const uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << (bit % 32);
  w = (w & ~mask) | (value << (bit % 32) & mask);
}

uint64_t descriptor(const Placement& p) {
  const uint64_t mode = p.swizzle == 128 ? 1 : p.swizzle == 64 ? 2 : p.swizzle == 32 ? 3 : 0;
  return (p.start >> 4) | (p.leading >> 4) << 16 | (p.stride >> 4) << 32 | mode << 62;
}

struct Case {
  Element a, b;
  const char* d;  // "f32", "f16", "s32"
  unsigned n;
  unsigned swizzle_a = 0, swizzle_b = 0;
  bool a_mn = false, b_mn = false, a_registers = false, accumulate = true;
  int negate_a = 1, negate_b = 1;
  std::string suffix = {};
};

// Strides with gaps between the atoms, so that the two are told apart.
Placement place(uint64_t start, unsigned swizzle, bool mn, const Element& e, unsigned rows,
                unsigned k) {
  Placement p{swizzle, mn, start, 0, 0};
  const unsigned t = 128 / e.bits;
  const uint64_t atom = swizzle == 0 ? 128 : uint64_t{8} * swizzle;
  if (!mn) {
    p.stride = atom;
    p.leading = swizzle == 0 ? atom * ((rows + 7) / 8) + 128 : 16;
  } else if (swizzle == 0) {
    p.leading = atom;
    p.stride = atom * (k / 8) + 128;
  } else {
    const unsigned span = t * swizzle / 16;
    p.stride = atom;
    p.leading = atom * (k / 8);
    if (rows < span) p.leading = 0;
  }
  return p;
}

void check(const Case& c, unsigned seed) {
  const unsigned k = 256 / c.a.bits;
  std::mt19937 rng(seed);
  std::vector<uint32_t> shared(11264);
  for (uint32_t& w : shared) w = rng();
  const Placement pa = place(1024, c.swizzle_a, c.a_mn, c.a, 64, k);
  const Placement pb = place(12288, c.swizzle_b, c.b_mn, c.b, c.n, k);
  std::vector<std::vector<double>> a(64, std::vector<double>(k)), b(k, std::vector<double>(c.n));
  Registers in(4 + 4, std::vector<uint32_t>(128));
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned q = 0; q < k; ++q) {
      const uint32_t raw = random_element(c.a, rng);
      a[row][q] = decode(c.a, raw) * c.negate_a;
      if (c.a_registers) {
        // 16 rows a warp; word r of thread 4g + t: row g + 8·(r%2), 32 bits from column
        // (t + 4·(r/2)) · 32 / bits on.
        const unsigned per = 32 / c.a.bits, word = q / per;
        const unsigned thread = row / 16 * 32 + row % 8 * 4 + word % 4;
        uint32_t& w = in[row % 16 / 8 + word / 4 * 2][thread];
        w |= raw << (q % per * c.a.bits);
      } else {
        put(shared, bit_address(pa, c.a, row, q), c.a.bits, raw);
      }
    }
  for (unsigned col = 0; col < c.n; ++col)
    for (unsigned q = 0; q < k; ++q) {
      const uint32_t raw = random_element(c.b, rng);
      b[q][col] = decode(c.b, raw) * c.negate_b;
      put(shared, bit_address(pb, c.b, col, q), c.b.bits, raw);
    }
  const bool half = std::string(c.d) == "f16", integer = std::string(c.d) == "s32";
  const unsigned d_regs = c.n / (half ? 4 : 2);
  Registers d(d_regs, std::vector<uint32_t>(128));
  for (auto& reg : d)
    for (uint32_t& w : reg)
      w = half      ? random_element(kF16, rng) | random_element(kF16, rng) << 16
          : integer ? rng()
                    : bits_of_float(static_cast<float>(static_cast<int>(rng() % 73) - 36) / 4);
  const uint64_t descriptors[2] = {descriptor(pa), descriptor(pb)};
  for (unsigned i = 0; i < 4; ++i)
    in[4 + i].assign(128, static_cast<uint32_t>(descriptors[i / 2] >> (32 * (i % 2))));
  in.insert(in.end(), d.begin(), d.end());

  TensorProgram p;
  p.threads = 128;
  p.outputs = d_regs;
  p.header = ".version 8.4\n.target sm_90a\n.address_size 64\n";
  // The address of shared memory is added to the descriptor's start.
  p.body =
      "shr.u32 %t2, %s, 4;\ncvt.u64.u32 %g3, %t2;\nadd.s64 %g4, %x2, %g3;\nadd.s64 %g5, %x3, "
      "%g3;\nsetp.ne.u32 %p1, %t0, " +
      std::string(c.accumulate ? "9999" : "%t0") + ";\n";
  for (unsigned r = 0; r < d_regs; ++r)
    p.body += "mov.b32 %o" + std::to_string(r) + ", %i" + std::to_string(8 + r) + ";\n";
  p.body += "fence.proxy.async;\nbar.sync 0;\nwgmma.fence.sync.aligned;\n";
  p.body += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.n) + "k" + std::to_string(k) +
            "." + c.d + "." + c.a.name + "." + c.b.name + c.suffix + " " +
            list_of("%o", 0, d_regs) + ", " + (c.a_registers ? list_of("%i", 0, 4) : "%g4") +
            ", %g5, %p1";
  if (!integer) p.body += ", " + std::to_string(c.negate_a) + ", " + std::to_string(c.negate_b);
  if (c.a.bits == 16) {
    if (!c.a_registers) p.body += c.a_mn ? ", 1" : ", 0";
    p.body += c.b_mn ? ", 1" : ", 0";
  }
  p.body += ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  const TensorRun r = run_tensor(p, in, shared);
  ASSERT_EQ(r.faults(), "") << p.body;

  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < c.n / 2; ++i) {
      // d_i of thread 4g + t of warp w: row 16w + g (+8 for i%4 ≥ 2), column 8·(i/4) + 2t + i%2.
      const unsigned row = thread / 32 * 16 + thread % 32 / 4 + (i % 4 >= 2 ? 8 : 0);
      const unsigned col = i / 4 * 8 + thread % 4 * 2 + i % 2;
      const uint32_t raw = half ? d[i / 2][thread] >> (16 * (i % 2)) & 0xffff : d[i][thread];
      double want = !c.accumulate ? 0
                    : half        ? value_of(kHalfFormat, raw)
                    : integer     ? static_cast<int32_t>(raw)
                                  : double{float_of(raw)};
      for (unsigned q = 0; q < k; ++q) want += a[row][q] * b[q][col];
      if (c.suffix == ".satfinite") want = std::min(std::max(want, -2147483648.0), 2147483647.0);
      const uint32_t got =
          half ? r.out[i / 2][thread] >> (16 * (i % 2)) & 0xffff : r.out[i][thread];
      const uint32_t expected = half      ? half_bits_of(want)
                                : integer ? static_cast<uint32_t>(static_cast<int64_t>(want))
                                          : bits_of_float(static_cast<float>(want));
      ASSERT_EQ(got, expected) << p.body.substr(p.body.find("wgmma.mma")) << "\nthread " << thread
                               << " element " << i << " swizzles " << c.swizzle_a << " and "
                               << c.swizzle_b;
    }
}

TEST(Wgmma, EverySwizzleAndMajorness) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u})
    for (bool mn : {false, true}) {
      check({.a = kF16,
             .b = kF16,
             .d = "f32",
             .n = 64,
             .swizzle_a = swizzle,
             .swizzle_b = 128,
             .a_mn = mn},
            swizzle + mn);
      check({.a = kF16,
             .b = kF16,
             .d = "f32",
             .n = 128,
             .swizzle_a = 128,
             .swizzle_b = swizzle,
             .b_mn = mn},
            swizzle + mn + 7);
      check({.a = kBf16,
             .b = kBf16,
             .d = "f32",
             .n = 64,
             .swizzle_a = swizzle,
             .swizzle_b = swizzle,
             .a_mn = mn,
             .b_mn = !mn},
            swizzle + mn + 11);
    }
}

TEST(Wgmma, EveryWidth) {
  for (unsigned n = 8; n <= 256; n += 8)
    check({.a = kF16, .b = kF16, .d = "f32", .n = n, .swizzle_a = 128, .swizzle_b = 128}, n);
}

TEST(Wgmma, HalfAccumulators) {
  for (unsigned n : {8u, 96u})
    check({.a = kF16, .b = kF16, .d = "f16", .n = n, .swizzle_a = 64, .swizzle_b = 32}, n);
}

TEST(Wgmma, OtherTypes) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
    check({.a = kTf32, .b = kTf32, .d = "f32", .n = 40, .swizzle_a = swizzle, .swizzle_b = 128}, 1);
    check({.a = kE4m3, .b = kE5m2, .d = "f32", .n = 40, .swizzle_a = swizzle, .swizzle_b = 128}, 2);
    check({.a = kE5m2, .b = kE4m3, .d = "f16", .n = 24, .swizzle_a = 128, .swizzle_b = swizzle}, 3);
    check({.a = kS8, .b = kS8, .d = "s32", .n = 48, .swizzle_a = swizzle, .swizzle_b = swizzle}, 4);
    check({.a = kU8, .b = kS8, .d = "s32", .n = 32, .swizzle_a = 128, .swizzle_b = swizzle}, 5);
    check({.a = kB1,
           .b = kB1,
           .d = "s32",
           .n = 16,
           .swizzle_a = swizzle,
           .swizzle_b = 64,
           .suffix = ".and.popc"},
          6);
  }
  check({.a = kS8,
         .b = kU8,
         .d = "s32",
         .n = 16,
         .swizzle_a = 128,
         .swizzle_b = 128,
         .suffix = ".satfinite"},
        7);
}

TEST(Wgmma, AInRegisters) {
  for (const Element& e : {kF16, kBf16, kTf32, kE4m3})
    check({.a = e, .b = e, .d = "f32", .n = 72, .swizzle_b = 128, .a_registers = true}, e.bits);
  check({.a = kF16,
         .b = kF16,
         .d = "f32",
         .n = 64,
         .swizzle_b = 128,
         .b_mn = true,
         .a_registers = true},
        3);
  check({.a = kU8, .b = kS8, .d = "s32", .n = 64, .swizzle_b = 128, .a_registers = true}, 4);
  check({.a = kB1,
         .b = kB1,
         .d = "s32",
         .n = 64,
         .swizzle_b = 128,
         .a_registers = true,
         .suffix = ".and.popc"},
        5);
}

TEST(Wgmma, ScalesOfTheOperands) {
  for (bool accumulate : {false, true})
    for (int a : {1, -1})
      for (int b : {1, -1})
        check({.a = kF16,
               .b = kF16,
               .d = "f32",
               .n = 16,
               .swizzle_a = 128,
               .swizzle_b = 128,
               .accumulate = accumulate,
               .negate_a = a,
               .negate_b = b},
              1);
}

TEST(Wgmma, DescriptorsOutsideOfSharedMemoryAreReported) {
  TensorProgram p;
  p.threads = 128;
  p.header = ".version 8.4\n.target sm_90a\n.address_size 64\n";
  p.outputs = 4;
  p.body =
      "mov.b64 %g4, 0x4000004000010000;\nmov.b64 %g5, 0x4000004000013fff;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%o0, %o1, %o2, %o3}, %g4, %g5, 0, 1, "
      "1, 0, 0;\n";
  const TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(11264));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kOutOfBounds) << r.faults();
}

TEST(Wgmma, AGroupOfFourWarpsIsNeeded) {
  TensorProgram p;
  p.threads = 32;
  p.header = ".version 8.4\n.target sm_90a\n.address_size 64\n";
  p.outputs = 4;
  p.body =
      "mov.b64 %g4, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%o0, %o1, %o2, %o3}, %g4, %g4, 0, 1, "
      "1, 0, 0;\n";
  const TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(11264));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kIllegal) << r.faults();
}

}  // namespace
}  // namespace pitot::emulator::test::wgmma_test
