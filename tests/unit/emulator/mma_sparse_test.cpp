// mma.sp and block-scaled mma against a plain triple loop over the expanded matrices.
#include "tensor_test_util.h"

namespace pitot::emulator::test::mma_sparse_test {
namespace {

struct Element {
  const char* name;
  unsigned step;  // bits from one element to the next in a register
  enum Kind { kFloat, kSigned, kUnsigned } kind;
  Format format;
  unsigned shift = 0;
};
const Element kF16{"f16", 16, Element::kFloat, kHalfFormat},
    kBf16{"bf16", 16, Element::kFloat, kBrain}, kTf32{"tf32", 32, Element::kFloat, kTf32Format},
    kS8{"s8", 8, Element::kSigned, {}}, kU8{"u8", 8, Element::kUnsigned, {}},
    kS4{"s4", 4, Element::kSigned, {}}, kU4{"u4", 4, Element::kUnsigned, {}},
    kE4m3{"e4m3", 8, Element::kFloat, kE4m3Format}, kE5m2{"e5m2", 8, Element::kFloat, kE5m2Format},
    kE3m2{"e3m2", 8, Element::kFloat, kE3m2Format}, kE2m3{"e2m3", 8, Element::kFloat, kE2m3Format},
    kE2m1{"e2m1", 8, Element::kFloat, kE2m1Format, 2},
    kPackedE2m1{"e2m1", 4, Element::kFloat, kE2m1Format};

double decode(const Element& e, uint32_t raw) {
  if (e.kind == Element::kFloat) {
    if (e.step == 32) return value_of(e.format, raw >> 13);
    return value_of(e.format, raw >> e.shift & ((1u << e.format.bits()) - 1));
  }
  const int v = static_cast<int>(raw);
  return e.kind == Element::kSigned && v >= 1 << (e.step - 1) ? v - (1 << e.step) : v;
}

uint32_t random_word(const Element& e, std::mt19937& rng) {
  const uint32_t w = rng();
  if (e.step == 32) return bits_of_float(std::uniform_real_distribution<float>(-4, 4)(rng));
  if (e.step == 16) return w & 0xbfffbfff;  // |x| < 2
  return e.kind == Element::kFloat && e.format.bits() == 8 ? w & 0xbfbfbfbf : w;
}

uint32_t field(uint32_t word, unsigned step, unsigned i) {
  return step == 32 ? word : word >> (step * i) & ((1u << step) - 1);
}

struct Case {
  std::string kind;  // between the layouts and the types
  unsigned k;
  Element a, b;
  const char* d = "f32";
  bool sparse = true;
  unsigned selector = 0;
  std::string flavour = ".sp::ordered_metadata";
  unsigned blocks = 0;  // of scales along k
  bool e4m3_scales = false;
  unsigned byte_a = 0, thread_a = 0, byte_b = 0, thread_b = 0;
};

// Thread and lowest bit of the four bits of metadata for a row's chunk, by the figures of the ISA.
std::pair<unsigned, unsigned> metadata_at(const Case& c, unsigned row, unsigned chunk) {
  const unsigned quad = row % 8 * 4;
  const bool lower = row >= 8;
  if (c.a.step >= 16) {
    // Four chunks a row: one thread of the quad holds row g in its low half, g + 8 in its high one.
    // Eight: two neighbours, each for half of the columns.
    const bool two = c.k / (c.a.step == 32 ? 2 : 4) == 8;
    const unsigned thread = two ? c.selector * 2 + (chunk >= 4 ? 1 : 0) : c.selector;
    return {quad + thread, chunk % 4 * 4 + (lower ? 16 : 0)};
  }
  // Eight chunks a register: the even thread for row g, the odd one for row g + 8.
  const unsigned thread = (lower ? 1 : 0) + (chunk >= 8 ? 2 : 0) + c.selector * 2;
  return {quad + thread, chunk % 8 * 4};
}

void check(const Case& c, unsigned seed) {
  std::mt19937 rng(seed);
  const unsigned m = 16, n = 8, stored = c.sparse ? c.k / 2 : c.k;
  const unsigned a_regs = m * stored * c.a.step / 1024, b_regs = n * c.k * c.b.step / 1024;
  const bool half = std::string(c.d) == "f16", integer = std::string(c.d) == "s32";
  const unsigned c_regs = half ? 2 : 4;
  const unsigned at_b = a_regs, at_c = at_b + b_regs, at_e = at_c + c_regs, at_s = at_e + 1;
  Registers in(at_s + 2, std::vector<uint32_t>(32));
  for (unsigned r = 0; r < at_c; ++r)
    for (uint32_t& w : in[r]) w = random_word(r < at_b ? c.a : c.b, rng);
  for (unsigned r = at_c; r < at_e; ++r)
    for (uint32_t& w : in[r])
      w = half      ? rng() & 0xbfffbfff
          : integer ? rng()
                    : bits_of_float(std::uniform_real_distribution<float>(-9, 9)(rng));
  for (uint32_t& w : in[at_e]) w = 0xffffffff;  // what the selector leaves out is not looked at
  for (unsigned r = at_s; r < at_s + 2; ++r)
    for (uint32_t& w : in[r])
      for (unsigned byte = 0; byte < 4; ++byte)
        w = w << 8 | (c.e4m3_scales ? rng() % 0x70 : 120 + rng() % 15);

  std::vector<std::vector<double>> a(m, std::vector<double>(c.k)), b(c.k, std::vector<double>(n)),
      packed(m, std::vector<double>(stored)), d(m, std::vector<double>(n));
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned g = lane / 4, t = lane % 4;
    for (unsigned r = 0; r < a_regs; ++r)
      for (unsigned i = 0; i < 32 / c.a.step; ++i)
        packed[g + r % 2 * 8][(r / 2 * 4 + t) * 32 / c.a.step + i] =
            decode(c.a, field(in[r][lane], c.a.step, i));
    for (unsigned r = 0; r < b_regs; ++r)
      for (unsigned i = 0; i < 32 / c.b.step; ++i)
        b[(r * 4 + t) * 32 / c.b.step + i][g] = decode(c.b, field(in[at_b + r][lane], c.b.step, i));
    for (unsigned i = 0; i < 4; ++i) {
      const uint32_t raw = half ? field(in[at_c + i / 2][lane], 16, i % 2) : in[at_c + i][lane];
      d[g + i / 2 * 8][t * 2 + i % 2] = half      ? value_of(kHalfFormat, raw)
                                        : integer ? static_cast<int32_t>(raw)
                                                  : double{float_of(raw)};
    }
  }
  if (!c.sparse) {
    a = packed;
  } else {
    const unsigned chunk = c.a.step == 32 ? 2 : c.a.step == 4 ? 8 : 4;
    for (unsigned row = 0; row < m; ++row)
      for (unsigned q = 0; q < c.k / chunk; ++q) {
        unsigned first = rng() % 4, second = rng() % 4;
        while (first == second) second = rng() % 4;
        if (first > second) std::swap(first, second);
        if (chunk == 2) {
          // tf32: 0b0100 for the first of two columns, 0b1110 for the second.
          first = first < 2 ? 0 : 2;
          second = first + 1;
          a[row][2 * q + first / 2] = packed[row][q];
        } else if (chunk == 4) {
          a[row][4 * q + first] = packed[row][2 * q];
          a[row][4 * q + second] = packed[row][2 * q + 1];
        } else {
          for (unsigned e = 0; e < 2; ++e) {
            a[row][8 * q + 2 * first + e] = packed[row][4 * q + e];
            a[row][8 * q + 2 * second + e] = packed[row][4 * q + 2 + e];
          }
        }
        const auto [thread, bit] = metadata_at(c, row, q);
        uint32_t& w = in[at_e][thread];
        w = (w & ~(15u << bit)) | (first | second << 2) << bit;
      }
  }
  auto scale = [&](unsigned reg, unsigned lane, unsigned byte) {
    const uint32_t raw = in[reg][lane] >> (8 * byte) & 0xff;
    return c.e4m3_scales ? value_of(kUe4m3Format, raw & 0x7f)
                         : std::pow(2.0, static_cast<int>(raw) - 127);
  };
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j)
      for (unsigned q = 0; q < c.k; ++q) {
        double x = a[i][q], y = b[q][j];
        if (c.blocks != 0) {
          const unsigned block = q / (c.k / c.blocks);
          x *= scale(at_s, i % 8 * 4 + c.thread_a * 2 + (i >= 8 ? 1 : 0), c.byte_a + block);
          y *= scale(at_s + 1, j * 4 + c.thread_b, c.byte_b + block);
        }
        d[i][j] += x * y;
      }

  TensorProgram p;
  p.outputs = c_regs;
  const bool hopper = c.a.step != 4 || integer;
  p.header = hopper && c.blocks == 0 && c.kind.find("f8f6f4") == std::string::npos
                 ? ".version 8.5\n.target sm_89\n.address_size 64\n"
                 : ".version 8.8\n.target sm_120a\n.address_size 64\n";
  if (half && c.a.step == 8) p.header = ".version 8.8\n.target sm_120a\n.address_size 64\n";
  p.body = "mma" + (c.sparse ? c.flavour : std::string()) + ".sync.aligned.m16n8k" +
           std::to_string(c.k) + ".row.col" + c.kind + "." + c.d + "." + c.a.name + "." + c.b.name +
           "." + c.d +
           (c.blocks == 0   ? ""
            : c.e4m3_scales ? ".ue4m3"
                            : ".ue8m0") +
           " " + list_of("%o", 0, c_regs) + ", " + list_of("%i", 0, a_regs) + ", " +
           list_of("%i", at_b, b_regs) + ", " + list_of("%i", at_c, c_regs);
  if (c.sparse) p.body += ", %i" + std::to_string(at_e) + ", " + std::to_string(c.selector);
  if (c.blocks != 0)
    p.body += ", %i" + std::to_string(at_s) + ", {" + std::to_string(c.byte_a) + ", " +
              std::to_string(c.thread_a) + "}, %i" + std::to_string(at_s + 1) + ", {" +
              std::to_string(c.byte_b) + ", " + std::to_string(c.thread_b) + "}";
  p.body += ";";
  const TensorRun r = run_tensor(p, in);
  ASSERT_EQ(r.faults(), "") << p.body;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      double want = d[lane / 4 + i / 2 * 8][lane % 4 * 2 + i % 2];
      if (c.kind == ".satfinite") want = std::min(std::max(want, -2147483648.0), 2147483647.0);
      const uint32_t got = half ? field(r.out[i / 2][lane], 16, i % 2) : r.out[i][lane];
      ASSERT_EQ(got, half      ? half_bits_of(want)
                     : integer ? static_cast<uint32_t>(static_cast<int64_t>(want))
                               : bits_of_float(static_cast<float>(want)))
          << p.body << "\nlane " << lane << " element " << i;
    }
}

void check(Case c) {
  for (unsigned seed = 1; seed < 4; ++seed) {
    check(c, seed);
    if (c.sparse && c.kind.empty() && c.d != std::string("f16")) {
      c.flavour = ".sp";
      check(c, seed + 10);
      c.flavour = ".sp::ordered_metadata";
    }
  }
}

TEST(MmaSparse, Halves) {
  for (unsigned selector = 0; selector < 4; ++selector)
    for (const char* d : {"f32", "f16"})
      check({.kind = "", .k = 16, .a = kF16, .b = kF16, .d = d, .selector = selector});
  for (unsigned selector = 0; selector < 2; ++selector)
    for (const char* d : {"f32", "f16"})
      check({.kind = "", .k = 32, .a = kF16, .b = kF16, .d = d, .selector = selector});
}

TEST(MmaSparse, BrainAndTensorFloats) {
  for (unsigned selector = 0; selector < 4; ++selector) {
    check({.kind = "", .k = 16, .a = kBf16, .b = kBf16, .selector = selector});
    check({.kind = "", .k = 8, .a = kTf32, .b = kTf32, .selector = selector});
  }
  for (unsigned selector = 0; selector < 2; ++selector) {
    check({.kind = "", .k = 32, .a = kBf16, .b = kBf16, .selector = selector});
    check({.kind = "", .k = 16, .a = kTf32, .b = kTf32, .selector = selector});
  }
}

TEST(MmaSparse, Integers) {
  for (const char* kind : {"", ".satfinite"}) {
    for (unsigned selector = 0; selector < 2; ++selector) {
      check({.kind = kind, .k = 32, .a = kS8, .b = kU8, .d = "s32", .selector = selector});
      check({.kind = kind, .k = 64, .a = kU4, .b = kS4, .d = "s32", .selector = selector});
    }
    check({.kind = kind, .k = 64, .a = kU8, .b = kS8, .d = "s32"});
    check({.kind = kind, .k = 128, .a = kS4, .b = kU4, .d = "s32"});
  }
}

TEST(MmaSparse, NarrowFloats) {
  check({.kind = "", .k = 64, .a = kE4m3, .b = kE5m2});
  check({.kind = "", .k = 64, .a = kE5m2, .b = kE4m3});
  const Element all[] = {kE4m3, kE5m2, kE3m2, kE2m3, kE2m1};
  for (const Element& a : all)
    for (const Element& b : all)
      for (const char* d : {"f32", "f16"})
        check({.kind = ".kind::f8f6f4", .k = 64, .a = a, .b = b, .d = d}, 1);
}

TEST(MmaBlockScaled, EightBitContainers) {
  const Element all[] = {kE4m3, kE5m2, kE3m2, kE2m3, kE2m1};
  for (bool sparse : {false, true})
    for (const Element& a : all)
      for (const Element& b : all)
        for (unsigned i = 0; i < 4; ++i)
          check({.kind = i % 2 ? ".kind::mxf8f6f4.block_scale"
                               : ".kind::mxf8f6f4.block_scale.scale_vec::1X",
                 .k = sparse ? 64u : 32u,
                 .a = a,
                 .b = b,
                 .sparse = sparse,
                 .blocks = 1,
                 .byte_a = i,
                 .thread_a = i % 2,
                 .byte_b = 3 - i,
                 .thread_b = i},
                i);
}

TEST(MmaBlockScaled, FourBits) {
  for (bool sparse : {false, true})
    for (unsigned thread = 0; thread < 4; ++thread) {
      const unsigned k = sparse ? 128 : 64;
      for (const char* kind : {".kind::mxf4.block_scale.scale_vec::2X", ".kind::mxf4.block_scale",
                               ".kind::mxf4nvf4.block_scale.scale_vec::2X"})
        check({.kind = kind,
               .k = k,
               .a = kPackedE2m1,
               .b = kPackedE2m1,
               .sparse = sparse,
               .blocks = 2,
               .byte_a = 2,
               .thread_a = thread % 2,
               .byte_b = thread / 2 * 2,
               .thread_b = thread},
              thread);
      check({.kind = ".kind::mxf4nvf4.block_scale.scale_vec::4X",
             .k = k,
             .a = kPackedE2m1,
             .b = kPackedE2m1,
             .sparse = sparse,
             .blocks = 4,
             .e4m3_scales = true,
             .thread_a = thread % 2,
             .thread_b = thread},
            thread);
    }
}

TEST(MmaSparse, MetadataThatMeansNothingIsReported) {
  // Both positions are the same; tf32 has only two codes.
  for (const char* mma : {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                          "mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"}) {
    TensorProgram p;
    p.outputs = 4;
    p.header = ".version 8.5\n.target sm_90a\n.address_size 64\n";
    p.body = std::string(mma) +
             " {%o0, %o1, %o2, %o3}, {%i0, %i1}, {%i2, %i3}, {%i4, %i5, %i6, %i7}, %i8, 0;";
    const TensorRun r = run_tensor(p, Registers(9, std::vector<uint32_t>(32, 0)));
    ASSERT_EQ(r.outcome.faults.size(), 1u) << mma;
    EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kIllegal);
  }
}

}  // namespace
}  // namespace pitot::emulator::test::mma_sparse_test
