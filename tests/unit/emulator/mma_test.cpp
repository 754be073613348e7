// mma against a plain triple loop, with the fragment layouts as the PTX ISA writes them, one
// formula a shape.
#include <cfenv>
#include <functional>

#include "tensor_test_util.h"

namespace pitot::emulator::test::mma_test {
namespace {

struct At {
  unsigned row, column;
};
using Layout = std::function<At(unsigned g, unsigned t, unsigned i)>;

struct Element {
  enum Kind { kFloat, kSigned, kUnsigned, kBit } kind = kFloat;
  int bits = 16;
  Format format = kHalfFormat;
};
const Element kF16{Element::kFloat, 16, kHalfFormat}, kBf16{Element::kFloat, 16, kBrain},
    kTf32{Element::kFloat, 32, kTf32Format}, kS8{Element::kSigned, 8, {}},
    kU8{Element::kUnsigned, 8, {}}, kS4{Element::kSigned, 4, {}}, kU4{Element::kUnsigned, 4, {}},
    kB1{Element::kBit, 1, {}}, kE4m3{Element::kFloat, 8, kE4m3Format},
    kE5m2{Element::kFloat, 8, kE5m2Format}, kE3m2{Element::kFloat, 8, kE3m2Format},
    kE2m3{Element::kFloat, 8, kE2m3Format}, kE2m1{Element::kFloat, 8, kE2m1Format};

enum class Accumulator { kF32, kF16, kS32 };

struct Case {
  std::string text;
  unsigned m, n, k;
  Element a, b;
  Accumulator c;
  unsigned a_regs, b_regs;
  Layout a_at, b_at;
};

Layout c16 = [](unsigned g, unsigned t, unsigned i) {
  return At{i < 2 ? g : g + 8, t * 2 + (i & 1)};
};
Layout c8 = [](unsigned g, unsigned t, unsigned i) { return At{g, t * 2 + i}; };

// Multiplicand fragments, "Matrix Fragments for mma.m16n8k…".
Layout a16x16 = [](unsigned g, unsigned t, unsigned i) {
  const bool upper = i < 2 || (4 <= i && i < 6);
  return At{upper ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
};
Layout b16x16 = [](unsigned g, unsigned t, unsigned i) {
  return At{t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g};
};
Layout a16x8 = [](unsigned g, unsigned t, unsigned i) {
  return At{i < 2 ? g : g + 8, t * 2 + (i & 1)};
};
Layout b16x8 = [](unsigned g, unsigned t, unsigned i) { return At{t * 2 + i, g}; };
Layout a32x4 = [](unsigned g, unsigned t, unsigned i) { return At{i == 0 ? g : g + 8, t}; };
Layout b32x4 = [](unsigned g, unsigned t, unsigned) { return At{t, g}; };
Layout a32x8 = [](unsigned g, unsigned t, unsigned i) {
  return At{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
};
Layout b32x8 = [](unsigned g, unsigned t, unsigned i) { return At{i == 0 ? t : t + 4, g}; };
Layout a8x16 = [](unsigned g, unsigned t, unsigned i) {
  return At{i < 4 ? g : g + 8, t * 4 + (i & 3)};
};
Layout b8x16 = [](unsigned g, unsigned t, unsigned i) { return At{t * 4 + i, g}; };
Layout a8x32 = [](unsigned g, unsigned t, unsigned i) {
  const bool upper = i < 4 || (8 <= i && i < 12);
  return At{upper ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
};
Layout b8x32 = [](unsigned g, unsigned t, unsigned i) {
  return At{t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g};
};
Layout a4x32 = [](unsigned g, unsigned t, unsigned i) {
  return At{i < 8 ? g : g + 8, t * 8 + (i & 7)};
};
Layout b4x32 = [](unsigned g, unsigned t, unsigned i) { return At{t * 8 + i, g}; };
Layout a4x64 = [](unsigned g, unsigned t, unsigned i) {
  const bool upper = i < 8 || (16 <= i && i < 24);
  return At{upper ? g : g + 8, t * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
};
Layout b4x64 = [](unsigned g, unsigned t, unsigned i) {
  return At{t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g};
};
Layout a1x128 = [](unsigned g, unsigned t, unsigned i) {
  return At{i < 32 ? g : g + 8, t * 32 + (i & 31)};
};
Layout b1x128 = [](unsigned g, unsigned t, unsigned i) { return At{t * 32 + i, g}; };
Layout a1x256 = [](unsigned g, unsigned t, unsigned i) {
  const bool upper = i < 32 || (64 <= i && i < 96);
  return At{upper ? g : g + 8, t * 32 + (i & 31) + (i >= 64 ? 128 : 0)};
};
Layout b1x256 = [](unsigned g, unsigned t, unsigned i) {
  return At{t * 32 + (i & 31) + (i >= 32 ? 128 : 0), g};
};
Layout a8rows8 = [](unsigned g, unsigned t, unsigned i) { return At{g, t * 4 + i}; };
Layout a8rows4 = [](unsigned g, unsigned t, unsigned i) { return At{g, t * 8 + i}; };
Layout a8rows1 = [](unsigned g, unsigned t, unsigned i) { return At{g, t * 32 + i}; };

double decode(const Element& e, uint32_t raw) {
  switch (e.kind) {
    case Element::kFloat:
      // tf32 lies in the high bits of a float's word.
      if (e.bits == 32) return value_of(e.format, raw >> 13);
      // kind::f8f6f4 keeps e2m1 in bits 2 … 5 of its byte.
      if (e.format.bits() == 4) raw >>= 2;
      return value_of(e.format, raw & ((1u << e.format.bits()) - 1));
    case Element::kSigned: {
      const auto v = static_cast<int>(raw);
      return v >= (1 << (e.bits - 1)) ? v - (1 << e.bits) : v;
    }
    default:
      return raw;
  }
}

using Matrix = std::vector<std::vector<double>>;
Matrix zeros(unsigned rows, unsigned columns) { return Matrix(rows, std::vector<double>(columns)); }

uint32_t element_bits_of(const Registers& regs, size_t first, int bits, unsigned lane, unsigned i) {
  const unsigned per = 32 / static_cast<unsigned>(bits);
  const uint32_t word = regs[first + i / per][lane];
  if (bits == 32) return word;
  return (word >> (i % per * static_cast<unsigned>(bits))) & ((1u << bits) - 1);
}

// Random bits whose exponents stay small enough that sums are of a moderate size.
uint32_t random_word(const Element& e, std::mt19937& rng) {
  uint32_t w = rng();
  if (e.kind != Element::kFloat || e.format.bits() < 8) return w;
  if (e.bits == 32) return bits_of_float(std::uniform_real_distribution<float>(-4, 4)(rng));
  const uint32_t keep = e.format.bits() == 8     ? (e.format.mantissa == 3 ? 0xbfu : 0xbfu)
                        : e.format.mantissa == 7 ? 0xbfffu
                                                 : 0xbfffu;
  // Clearing the top exponent bit keeps |x| < 2.
  return e.bits == 8 ? w & (keep * 0x01010101u) : w & (keep * 0x00010001u);
}

void check(const Case& c, unsigned seed) {
  std::mt19937 rng(seed);
  const unsigned c_regs = c.m * c.n / 32 / (c.c == Accumulator::kF16 ? 2 : 1);
  const unsigned first_b = c.a_regs, first_c = c.a_regs + c.b_regs;
  Registers in(first_c + c_regs, std::vector<uint32_t>(32));
  for (unsigned r = 0; r < in.size(); ++r)
    for (uint32_t& w : in[r])
      w = r < first_b   ? random_word(c.a, rng)
          : r < first_c ? random_word(c.b, rng)
          : c.c == Accumulator::kF32
              ? bits_of_float(std::uniform_real_distribution<float>(-9, 9)(rng))
          : c.c == Accumulator::kF16 ? random_word(kF16, rng)
                                     : rng();
  if (c.text.find("satfinite") != std::string::npos)
    for (unsigned lane = 0; lane < 32; ++lane)
      in[first_c][lane] = lane % 2 ? 0x7ffffff0u : 0x80000010u;
  TensorProgram p;
  p.header = ".version 8.7\n.target sm_120a\n.address_size 64\n";
  if (c.text.find(".b1") != std::string::npos || c.text.find(".s4") != std::string::npos ||
      c.text.find(".u4") != std::string::npos)
    p.header = ".version 8.0\n.target sm_80\n.address_size 64\n";
  p.outputs = c_regs;
  p.body = c.text + " " + list_of("%o", 0, c_regs) + ", " + list_of("%i", 0, c.a_regs) + ", " +
           list_of("%i", first_b, c.b_regs) + ", " + list_of("%i", first_c, c_regs) + ";";
  const TensorRun r = run_tensor(p, in);
  ASSERT_EQ(r.faults(), "") << c.text;

  Matrix a = zeros(c.m, c.k), b = zeros(c.k, c.n), d = zeros(c.m, c.n);
  const Layout& c_at = c.m == 16 ? c16 : c8;
  const unsigned c_elements = c.m * c.n / 32;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned g = lane >> 2, t = lane % 4;
    for (unsigned i = 0; i < c.a_regs * 32 / static_cast<unsigned>(c.a.bits); ++i) {
      const At at = c.a_at(g, t, i);
      a.at(at.row).at(at.column) = decode(c.a, element_bits_of(in, 0, c.a.bits, lane, i));
    }
    for (unsigned i = 0; i < c.b_regs * 32 / static_cast<unsigned>(c.b.bits); ++i) {
      const At at = c.b_at(g, t, i);
      b.at(at.row).at(at.column) = decode(c.b, element_bits_of(in, first_b, c.b.bits, lane, i));
    }
    for (unsigned i = 0; i < c_elements; ++i) {
      const At at = c_at(g, t, i);
      const int bits = c.c == Accumulator::kF16 ? 16 : 32;
      const uint32_t raw = element_bits_of(in, first_c, bits, lane, i);
      d.at(at.row).at(at.column) = c.c == Accumulator::kF16   ? value_of(kHalfFormat, raw)
                                   : c.c == Accumulator::kF32 ? double{float_of(raw)}
                                                              : static_cast<int32_t>(raw);
    }
  }
  const bool conjunction = c.text.find(".and.") != std::string::npos;
  for (unsigned i = 0; i < c.m; ++i)
    for (unsigned j = 0; j < c.n; ++j)
      for (unsigned q = 0; q < c.k; ++q) {
        const double x = a[i][q], y = b[q][j];
        if (c.a.kind == Element::kBit) {
          d[i][j] += conjunction ? x * y : static_cast<double>(x != y);
        } else {
          d[i][j] += x * y;
        }
      }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < c_elements; ++i) {
      const At at = c_at(lane >> 2, lane % 4, i);
      const double want = d[at.row][at.column];
      if (c.c == Accumulator::kF32) {
        EXPECT_EQ(r.out[i][lane], bits_of_float(static_cast<float>(want)))
            << c.text << " lane " << lane << " element " << i;
      } else if (c.c == Accumulator::kF16) {
        EXPECT_EQ(element_bits_of(r.out, 0, 16, lane, i), half_bits_of(want))
            << c.text << " lane " << lane << " element " << i << " = " << want;
      } else {
        double v = want;
        if (c.text.find("satfinite") != std::string::npos)
          v = std::min(std::max(v, -2147483648.0), 2147483647.0);
        EXPECT_EQ(r.out[i][lane], static_cast<uint32_t>(static_cast<int64_t>(v)))
            << c.text << " lane " << lane << " element " << i;
      }
    }
}

void check(const std::string& text, unsigned m, unsigned k, const Element& a, const Element& b,
           Accumulator c, Layout a_at, Layout b_at) {
  const unsigned a_regs = m * k * static_cast<unsigned>(a.bits) / 1024;
  const unsigned b_regs = 8 * k * static_cast<unsigned>(b.bits) / 1024;
  for (unsigned seed = 1; seed < 4; ++seed)
    check(Case{text, m, 8, k, a, b, c, a_regs, b_regs, a_at, b_at}, seed);
}

const std::string kMma = "mma.sync.aligned.";

TEST(Mma, Halves) {
  check(kMma + "m16n8k16.row.col.f32.f16.f16.f32", 16, 16, kF16, kF16, Accumulator::kF32, a16x16,
        b16x16);
  check(kMma + "m16n8k16.row.col.f16.f16.f16.f16", 16, 16, kF16, kF16, Accumulator::kF16, a16x16,
        b16x16);
  check(kMma + "m16n8k8.row.col.f32.f16.f16.f32", 16, 8, kF16, kF16, Accumulator::kF32, a16x8,
        b16x8);
  check(kMma + "m16n8k8.row.col.f16.f16.f16.f16", 16, 8, kF16, kF16, Accumulator::kF16, a16x8,
        b16x8);
}

TEST(Mma, BrainFloats) {
  check(kMma + "m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, kBf16, kBf16, Accumulator::kF32,
        a16x16, b16x16);
  check(kMma + "m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, kBf16, kBf16, Accumulator::kF32, a16x8,
        b16x8);
}

TEST(Mma, TensorFloatsIgnoreTheLowBits) {
  check(kMma + "m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, kTf32, kTf32, Accumulator::kF32, a32x4,
        b32x4);
  check(kMma + "m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, kTf32, kTf32, Accumulator::kF32, a32x8,
        b32x8);
}

TEST(Mma, Bytes) {
  for (const char* a : {"s8", "u8"})
    for (const char* b : {"s8", "u8"})
      for (const char* sat : {"", ".satfinite"}) {
        const Element& x = *a == 's' ? kS8 : kU8;
        const Element& y = *b == 's' ? kS8 : kU8;
        const std::string types = std::string(sat) + ".s32." + a + "." + b + ".s32";
        check(kMma + "m16n8k32.row.col" + types, 16, 32, x, y, Accumulator::kS32, a8x32, b8x32);
        check(kMma + "m16n8k16.row.col" + types, 16, 16, x, y, Accumulator::kS32, a8x16, b8x16);
        check(kMma + "m8n8k16.row.col" + types, 8, 16, x, y, Accumulator::kS32, a8rows8, b8x16);
      }
}

TEST(Mma, Nibbles) {
  for (const char* a : {"s4", "u4"})
    for (const char* b : {"s4", "u4"})
      for (const char* sat : {"", ".satfinite"}) {
        const Element& x = *a == 's' ? kS4 : kU4;
        const Element& y = *b == 's' ? kS4 : kU4;
        const std::string types = std::string(sat) + ".s32." + a + "." + b + ".s32";
        check(kMma + "m16n8k64.row.col" + types, 16, 64, x, y, Accumulator::kS32, a4x64, b4x64);
        check(kMma + "m16n8k32.row.col" + types, 16, 32, x, y, Accumulator::kS32, a4x32, b4x32);
        check(kMma + "m8n8k32.row.col" + types, 8, 32, x, y, Accumulator::kS32, a8rows4, b4x32);
      }
}

TEST(Mma, Bits) {
  for (const char* op : {".xor.popc", ".and.popc"}) {
    const std::string types = std::string(".row.col.s32.b1.b1.s32") + op;
    check(kMma + "m16n8k256" + types, 16, 256, kB1, kB1, Accumulator::kS32, a1x256, b1x256);
    check(kMma + "m16n8k128" + types, 16, 128, kB1, kB1, Accumulator::kS32, a1x128, b1x128);
    check(kMma + "m8n8k128" + types, 8, 128, kB1, kB1, Accumulator::kS32, a8rows1, b1x128);
  }
}

TEST(Mma, EightBitFloats) {
  for (const char* a : {"e4m3", "e5m2"})
    for (const char* b : {"e4m3", "e5m2"}) {
      const Element& x = a[1] == '4' ? kE4m3 : kE5m2;
      const Element& y = b[1] == '4' ? kE4m3 : kE5m2;
      const std::string types = std::string(a) + "." + b;
      check(kMma + "m16n8k32.row.col.f32." + types + ".f32", 16, 32, x, y, Accumulator::kF32, a8x32,
            b8x32);
      check(kMma + "m16n8k32.row.col.f16." + types + ".f16", 16, 32, x, y, Accumulator::kF16, a8x32,
            b8x32);
      check(kMma + "m16n8k16.row.col.f32." + types + ".f32", 16, 16, x, y, Accumulator::kF32, a8x16,
            b8x16);
    }
}

TEST(Mma, NarrowFloatsInBytes) {
  const std::pair<const char*, Element> types[] = {
      {"e4m3", kE4m3}, {"e5m2", kE5m2}, {"e3m2", kE3m2}, {"e2m3", kE2m3}, {"e2m1", kE2m1}};
  for (const auto& [a, x] : types)
    for (const auto& [b, y] : types) {
      check(kMma + "m16n8k32.row.col.kind::f8f6f4.f32." + a + "." + b + ".f32", 16, 32, x, y,
            Accumulator::kF32, a8x32, b8x32);
      check(kMma + "m16n8k32.row.col.kind::f8f6f4.f16." + a + "." + b + ".f16", 16, 32, x, y,
            Accumulator::kF16, a8x32, b8x32);
    }
}

// f64: a fragment holds whole registers; the sum is a chain of fma in order of k.
void check_double(const std::string& rounding, int mode, unsigned m, unsigned k, const Layout& a_at,
                  const Layout& b_at) {
  std::mt19937 rng(k + m);
  const unsigned na = m * k / 32, nb = 8 * k / 32, nc = m * 8 / 32;
  Registers in(2 * (na + nb + nc), std::vector<uint32_t>(32));
  auto value = [&](unsigned x, unsigned lane) {
    return std::bit_cast<double>(uint64_t{in[2 * x][lane]} | uint64_t{in[2 * x + 1][lane]} << 32);
  };
  for (unsigned x = 0; x < na + nb + nc; ++x)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto v = std::bit_cast<uint64_t>(std::uniform_real_distribution<double>(-3, 3)(rng));
      in[2 * x][lane] = static_cast<uint32_t>(v);
      in[2 * x + 1][lane] = static_cast<uint32_t>(v >> 32);
    }
  TensorProgram p;
  p.outputs = 2 * nc;
  p.body = kMma + "m" + std::to_string(m) + "n8k" + std::to_string(k) + ".row.col" + rounding +
           ".f64.f64.f64.f64 " + list_of("%y", 0, nc) + ", " + list_of("%x", 0, na) + ", " +
           list_of("%x", na, nb) + ", " + list_of("%x", na + nb, nc) + ";\n";
  for (unsigned i = 0; i < nc; ++i)
    p.body += "mov.b64 {%o" + std::to_string(2 * i) + ", %o" + std::to_string(2 * i + 1) + "}, %y" +
              std::to_string(i) + ";\n";
  const TensorRun r = run_tensor(p, in);
  ASSERT_EQ(r.faults(), "") << p.body;
  Matrix a = zeros(m, k), b = zeros(k, 8);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < na; ++i) {
      const At at = a_at(lane >> 2, lane % 4, i);
      a.at(at.row).at(at.column) = value(i, lane);
    }
    for (unsigned i = 0; i < nb; ++i) {
      const At at = b_at(lane >> 2, lane % 4, i);
      b.at(at.row).at(at.column) = value(na + i, lane);
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < nc; ++i) {
      const At at = (m == 16 ? c16 : c8)(lane >> 2, lane % 4, i);
      std::fesetround(mode);
      volatile double sum = value(na + nb + i, lane);
      for (unsigned q = 0; q < k; ++q) sum = std::fma(a[at.row][q], b[q][at.column], sum);
      std::fesetround(FE_TONEAREST);
      const uint64_t got = uint64_t{r.out[2 * i][lane]} | uint64_t{r.out[2 * i + 1][lane]} << 32;
      EXPECT_EQ(got, std::bit_cast<uint64_t>(double{sum})) << p.body << " lane " << lane;
    }
}

TEST(Mma, Doubles) {
  const std::pair<const char*, int> modes[] = {{"", FE_TONEAREST},
                                               {".rn", FE_TONEAREST},
                                               {".rz", FE_TOWARDZERO},
                                               {".rm", FE_DOWNWARD},
                                               {".rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    check_double(
        name, mode, 8, 4,
        [](unsigned g, unsigned t, unsigned) {
          return At{g, t};
        },
        [](unsigned g, unsigned t, unsigned) {
          return At{t, g};
        });
    check_double(
        name, mode, 16, 4,
        [](unsigned g, unsigned t, unsigned i) {
          return At{i == 0 ? g : g + 8, t};
        },
        [](unsigned g, unsigned t, unsigned) {
          return At{t, g};
        });
    check_double(name, mode, 16, 8, a32x8, b32x8);
    check_double(
        name, mode, 16, 16,
        [](unsigned g, unsigned t, unsigned i) {
          return At{i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
        },
        [](unsigned g, unsigned t, unsigned i) {
          return At{t + i * 4, g};
        });
  }
}

// m8n8k4 of halves: four products, each by the lanes of one pair of quads.
void check_quad_pairs(bool a_column, bool b_row, bool wide_c, bool wide_d) {
  std::mt19937 rng(a_column * 2 + b_row);
  const unsigned c_regs = wide_c ? 8 : 4, d_regs = wide_d ? 8 : 4;
  Registers in(4 + c_regs, std::vector<uint32_t>(32));
  for (auto& reg : in)
    for (uint32_t& w : reg) w = random_word(kF16, rng);
  if (wide_c)
    for (unsigned r = 4; r < 12; ++r)
      for (uint32_t& w : in[r])
        w = bits_of_float(std::uniform_real_distribution<float>(-9, 9)(rng));
  TensorProgram p;
  p.outputs = d_regs;
  p.header = ".version 8.0\n.target sm_70\n.address_size 64\n";
  p.body = kMma + "m8n8k4." + (a_column ? "col" : "row") + "." + (b_row ? "row" : "col") +
           (wide_d ? ".f32" : ".f16") + ".f16.f16" + (wide_c ? ".f32 " : ".f16 ") +
           list_of("%o", 0, d_regs) + ", " + list_of("%i", 0, 2) + ", " + list_of("%i", 2, 2) +
           ", " + list_of("%i", 4, c_regs) + ";";
  const TensorRun r = run_tensor(p, in);
  ASSERT_EQ(r.faults(), "") << p.body;
  auto acc_at = [](bool wide, unsigned lane, unsigned i) {
    if (!wide) return At{lane < 16 ? lane % 4 : lane % 4 + 4, i};
    const unsigned x = (lane & 1) + (i & 2);
    return At{lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
  };
  for (unsigned pair = 0; pair < 4; ++pair) {
    Matrix a = zeros(8, 4), b = zeros(4, 8), d = zeros(8, 8);
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lane % 16 / 4 == pair) lanes.push_back(lane);
    for (unsigned lane : lanes) {
      const unsigned own = lane < 16 ? lane % 4 : lane % 4 + 4;
      for (unsigned i = 0; i < 4; ++i) {
        const double x = value_of(kHalfFormat, element_bits_of(in, 0, 16, lane, i));
        const double y = value_of(kHalfFormat, element_bits_of(in, 2, 16, lane, i));
        if (a_column) {
          a[lane < 16 ? i : i + 4][lane % 4] = x;
        } else {
          a[own][i] = x;
        }
        if (b_row) {
          b[lane % 4][lane < 16 ? i : i + 4] = y;
        } else {
          b[i][own] = y;
        }
      }
      for (unsigned i = 0; i < 8; ++i) {
        const At at = acc_at(wide_c, lane, i);
        const uint32_t raw = element_bits_of(in, 4, wide_c ? 32 : 16, lane, i);
        d[at.row][at.column] = wide_c ? double{float_of(raw)} : value_of(kHalfFormat, raw);
      }
    }
    for (unsigned i = 0; i < 8; ++i)
      for (unsigned j = 0; j < 8; ++j)
        for (unsigned q = 0; q < 4; ++q) d[i][j] += a[i][q] * b[q][j];
    for (unsigned lane : lanes)
      for (unsigned i = 0; i < 8; ++i) {
        const At at = acc_at(wide_d, lane, i);
        const double want = d[at.row][at.column];
        EXPECT_EQ(element_bits_of(r.out, 0, wide_d ? 32 : 16, lane, i),
                  wide_d ? bits_of_float(static_cast<float>(want)) : half_bits_of(want))
            << p.body << " lane " << lane << " element " << i;
      }
  }
}

TEST(Mma, QuadPairs) {
  for (bool a_column : {false, true})
    for (bool b_row : {false, true}) {
      check_quad_pairs(a_column, b_row, true, true);
      check_quad_pairs(a_column, b_row, false, true);
      check_quad_pairs(a_column, b_row, false, false);
    }
}

TEST(Mma, SpecialValues) {
  // Row 0: Inf · 1 → Inf; row 1: Inf − Inf → NaN; row 2: 0 · Inf → NaN; row 3: an f16 overflow.
  auto run = [](bool wide) {
    Registers in(10, std::vector<uint32_t>(32, 0));
    in[0][0] = 0x7c00;      // a[0][0] = Inf
    in[0][4] = 0xfc007c00;  // a[1][0..1] = Inf, −Inf
    in[0][8] = 0x00000000;
    in[0][12] = 0x7bff;     // a[3][0] = 65504
    in[4][0] = 0x3c003c00;  // b[0..1][0] = 1
    in[4][4] = 0x00007c00;  // b[0][1] = Inf
    in[4][8] = 0x00004000;  // b[0][2] = 2
    TensorProgram p;
    p.outputs = wide ? 4 : 2;
    p.body = kMma + "m16n8k16.row.col." + (wide ? "f32.f16.f16.f32 " : "f16.f16.f16.f16 ") +
             list_of("%o", 0, p.outputs) + ", {%i0, %i1, %i2, %i3}, {%i4, %i5}, " +
             list_of("%i", 6, p.outputs) + ";";
    return run_tensor(p, in);
  };
  const TensorRun r = run(true), h = run(false);
  EXPECT_EQ(r.out[0][0], 0x7f800000u);
  EXPECT_EQ(r.out[0][4], 0x7fffffffu);
  EXPECT_EQ(r.out[1][8], 0x7fffffffu);
  EXPECT_EQ(r.out[0][13], bits_of_float(131008.0f));
  EXPECT_EQ(h.out[0][0] & 0xffff, 0x7c00u);
  EXPECT_EQ(h.out[0][4] & 0xffff, 0x7fffu);
  EXPECT_EQ(h.out[0][13] & 0xffff, 0x7c00u) << "131008 is more than the largest half";
}

TEST(Mma, PartOfAWarpIsReported) {
  TensorProgram p;
  p.outputs = 4;
  const std::string mma = kMma +
                          "m16n8k8.row.col.f32.f16.f16.f32 {%o0, %o1, %o2, %o3}, {%i0, %i1}, "
                          "{%i2}, {%i3, %i4, %i5, %i6};\n";
  p.body = "setp.lt.u32 %p1, %t0, 16;\n@%p1 bra SKIP;\n" + mma + "SKIP:\n";
  const Registers in(7, std::vector<uint32_t>(32, 0));
  TensorRun r = run_tensor(p, in);
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
  EXPECT_EQ(r.outcome.faults[0].lanes, 0xffff0000u);
  p.body = mma;
  p.threads = 16;
  r = run_tensor(p, Registers(7, std::vector<uint32_t>(16, 0)));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kMemberMask);
  EXPECT_NE(r.outcome.faults[0].message.find("needs all 32 lanes"), std::string::npos);
}

TEST(Mma, LanesThatPartedMeetAgainAtIt) {
  TensorProgram p;
  p.outputs = 4;
  p.body =
      "setp.lt.u32 %p1, %t0, 16;\n@%p1 bra OTHER;\nmov.b32 %i3, 0f3f800000;\nbra MEET;\n"
      "OTHER:\nmov.b32 %i3, 0f40000000;\nMEET:\n" +
      kMma +
      "m16n8k8.row.col.f32.f16.f16.f32 {%o0, %o1, %o2, %o3}, {%i0, %i1}, "
      "{%i2}, {%i3, %i4, %i5, %i6};\n";
  const TensorRun r = run_tensor(p, Registers(7, std::vector<uint32_t>(32, 0)));
  EXPECT_EQ(r.faults(), "");
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(r.out[0][lane], bits_of_float(lane < 16 ? 2.0f : 1.0f));
}

}  // namespace
}  // namespace pitot::emulator::test::mma_test
