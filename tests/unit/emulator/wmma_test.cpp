// wmma: load, multiply and store of every shape, type and layout, against a plain triple loop on
// the matrices in memory. The layout of fragments is open, so nothing here looks at registers.
#include <cfenv>

#include "tensor_test_util.h"

namespace pitot::emulator::test::wmma_test {
namespace {

struct Element {
  const char* name;
  unsigned bits;
  enum Kind { kFloat, kSigned, kUnsigned, kDouble } kind;
  Format format;
};
const Element kF16{"f16", 16, Element::kFloat, kHalfFormat},
    kBf16{"bf16", 16, Element::kFloat, kBrain}, kTf32{"tf32", 32, Element::kFloat, kTf32Format},
    kF32{"f32", 32, Element::kFloat, kSingle}, kS8{"s8", 8, Element::kSigned, {}},
    kU8{"u8", 8, Element::kUnsigned, {}}, kS4{"s4", 4, Element::kSigned, {}},
    kU4{"u4", 4, Element::kUnsigned, {}}, kB1{"b1", 1, Element::kUnsigned, {}},
    kS32{"s32", 32, Element::kSigned, {}}, kF64{"f64", 64, Element::kDouble, {}};

double decode(const Element& e, uint64_t raw) {
  if (e.kind == Element::kDouble) return std::bit_cast<double>(raw);
  const auto word = static_cast<uint32_t>(raw);
  if (e.kind == Element::kFloat)
    return value_of(e.format, e.bits == 32 && e.format.mantissa == 10 ? word >> 13 : word);
  if (e.kind == Element::kUnsigned) return word;
  const auto shift = 32 - e.bits;
  return static_cast<int32_t>(word << shift) >> shift;
}

uint64_t random_element(const Element& e, std::mt19937& rng) {
  if (e.kind == Element::kDouble)
    return std::bit_cast<uint64_t>(std::uniform_real_distribution<double>(-3, 3)(rng));
  if (e.kind == Element::kFloat && e.bits == 32)
    return bits_of_float(std::uniform_real_distribution<float>(-4, 4)(rng));
  const uint32_t w = rng();
  if (e.kind == Element::kFloat) return w & 0xbfff;
  return e.bits == 32 ? w : w & ((1u << e.bits) - 1);
}

// A matrix in shared memory: `stride` elements from one row (column) to the next.
struct Place {
  uint64_t start;
  unsigned stride;
  bool column;
  uint64_t bit(const Element& e, unsigned r, unsigned c) const {
    return start * 8 + (column ? uint64_t{c} * stride + r : uint64_t{r} * stride + c) * e.bits;
  }
};

uint64_t get(const std::vector<uint32_t>& words, uint64_t bit, unsigned bits) {
  uint64_t v = words.at(bit / 32);
  if (bits == 64) return v | uint64_t{words.at(bit / 32 + 1)} << 32;
  return bits == 32 ? v : v >> (bit % 32) & ((1u << bits) - 1);
}
void put(std::vector<uint32_t>& words, uint64_t bit, unsigned bits, uint64_t value) {
  if (bits == 64) {
    words.at(bit / 32) = static_cast<uint32_t>(value);
    words.at(bit / 32 + 1) = static_cast<uint32_t>(value >> 32);
    return;
  }
  const uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << (bit % 32);
  uint32_t& w = words.at(bit / 32);
  w = (w & ~mask) | (static_cast<uint32_t>(value) << (bit % 32) & mask);
}

struct Case {
  unsigned m, n, k;
  Element a, b, c, d;
  bool a_column = false, b_column = true, c_column = false, d_column = false;
  bool strided = true;       // a stride is given, larger than the matrix
  std::string flavour = {};  // .xor.popc, .satfinite, .rz
  const char* space = ".shared";
};

std::string suffix_of(const Case& c, unsigned k) {
  return "m" + std::to_string(c.m) + "n" + std::to_string(c.n) + "k" + std::to_string(k);
}

void check(const Case& c) {
  std::mt19937 rng(c.m + 3 * c.n + 7 * c.k + c.a.bits);
  std::vector<uint32_t> shared(4096);
  for (uint32_t& w : shared) w = rng();
  auto stride = [&](const Element& e, bool column, unsigned rows, unsigned columns) {
    const unsigned least = column ? rows : columns;
    return c.strided ? least + 128 / e.bits : least;
  };
  const Place pa{0, stride(c.a, c.a_column, c.m, c.k), c.a_column},
      pb{4096, stride(c.b, c.b_column, c.k, c.n), c.b_column},
      pc{8192, stride(c.c, c.c_column, c.m, c.n), c.c_column},
      pd{12288, stride(c.d, c.d_column, c.m, c.n), c.d_column};
  auto fill = [&](const Place& p, const Element& e, unsigned rows, unsigned columns) {
    std::vector<std::vector<double>> m(rows, std::vector<double>(columns));
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < columns; ++j) {
        const uint64_t raw = random_element(e, rng);
        m[i][j] = decode(e, raw);
        put(shared, p.bit(e, i, j), e.bits, raw);
      }
    return m;
  };
  const auto a = fill(pa, c.a, c.m, c.k), b = fill(pb, c.b, c.k, c.n);
  auto d = fill(pc, c.c, c.m, c.n);

  const bool wide = c.a.bits == 64;
  auto registers = [&](const Element& e, unsigned elements) {
    unsigned n = elements * e.bits / 1024;
    if (e.bits == 64) n = elements / 32;
    return n;
  };
  unsigned na = registers(c.a, c.m * c.k), nb = registers(c.b, c.k * c.n);
  if (c.a.bits == 16 && c.a.format.mantissa == 10) na = nb = 8;  // halves: held twice
  const unsigned nc = registers(c.c, c.m * c.n), nd = registers(c.d, c.m * c.n);
  const std::string reg = wide ? "%y" : "%o", shape = suffix_of(c, c.k);
  auto memory = [&](const Place& p) {
    std::string out = "[%s+" + std::to_string(p.start) + "]";
    if (*c.space == 0) out = "[%g3+" + std::to_string(p.start) + "]";
    return out + (c.strided ? ", " + std::to_string(p.stride) : "");
  };
  auto layout = [](bool column) { return std::string(column ? ".col" : ".row"); };
  TensorProgram p;
  p.header = ".version 7.8\n.target sm_80\n.address_size 64\n";
  p.outputs = 2 * (na + nb + nc + nd);
  p.body = "cvt.u64.u32 %g3, %s;\ncvta.shared.u64 %g3, %g3;\n";
  for (size_t i = 0; i < p.outputs; ++i) p.body += "mov.b32 %o" + std::to_string(i) + ", 0;\n";
  p.body += "wmma.load.a.sync.aligned" + layout(c.a_column) + "." + shape + c.space + "." +
            c.a.name + " " + list_of(reg, 0, na) + ", " + memory(pa) + ";\n";
  p.body += "wmma.load.b.sync.aligned" + layout(c.b_column) + "." + shape + c.space + "." +
            c.b.name + " " + list_of(reg, na, nb) + ", " + memory(pb) + ";\n";
  p.body += "wmma.load.c.sync.aligned" + layout(c.c_column) + "." + shape + c.space + "." +
            c.c.name + " " + list_of(reg, na + nb, nc) + ", " + memory(pc) + ";\n";
  const bool bits = c.a.bits == 1, halves = c.a.bits == 16 && c.a.format.mantissa == 10;
  p.body += "wmma.mma" + (bits ? c.flavour : std::string()) + ".sync.aligned" + layout(c.a_column) +
            layout(c.b_column) + "." + shape + (bits ? std::string() : c.flavour) + "." + c.d.name +
            (halves ? std::string() : std::string(".") + c.a.name + "." + c.b.name) + "." +
            c.c.name + " " + list_of(reg, na + nb + nc, nd) + ", " + list_of(reg, 0, na) + ", " +
            list_of(reg, na, nb) + ", " + list_of(reg, na + nb, nc) + ";\n";
  p.body += "wmma.store.d.sync.aligned" + layout(c.d_column) + "." + shape + c.space + "." +
            c.d.name + " " + memory(pd).substr(0, memory(pd).find(']') + 1) + ", " +
            list_of(reg, na + nb + nc, nd) +
            (c.strided ? ", " + std::to_string(pd.stride) : std::string()) + ";\n";
  const TensorRun r = run_tensor(p, {}, shared);
  ASSERT_EQ(r.faults(), "") << p.body.substr(p.body.find("wmma"));

  if (wide) {
    const int mode = c.flavour == ".rz"   ? FE_TOWARDZERO
                     : c.flavour == ".rm" ? FE_DOWNWARD
                     : c.flavour == ".rp" ? FE_UPWARD
                                          : FE_TONEAREST;
    std::fesetround(mode);
    for (unsigned i = 0; i < c.m; ++i)
      for (unsigned j = 0; j < c.n; ++j)
        for (unsigned q = 0; q < c.k; ++q) {
          volatile double sum = std::fma(a[i][q], b[q][j], d[i][j]);
          d[i][j] = sum;
        }
    std::fesetround(FE_TONEAREST);
  } else {
    for (unsigned i = 0; i < c.m; ++i)
      for (unsigned j = 0; j < c.n; ++j)
        for (unsigned q = 0; q < c.k; ++q)
          d[i][j] += c.flavour == ".xor.popc" ? a[i][q] != b[q][j] : a[i][q] * b[q][j];
  }
  std::vector<uint32_t> expected = shared;
  for (unsigned i = 0; i < c.m; ++i)
    for (unsigned j = 0; j < c.n; ++j) {
      double v = d[i][j];
      uint64_t raw = 0;
      if (c.flavour == ".satfinite") v = std::min(std::max(v, -2147483648.0), 2147483647.0);
      if (wide) {
        raw = std::bit_cast<uint64_t>(v);
      } else if (c.d.kind == Element::kSigned) {
        raw = static_cast<uint32_t>(static_cast<int64_t>(v));
      } else {
        raw = c.d.bits == 16 ? half_bits_of(v) : bits_of_float(static_cast<float>(v));
      }
      put(expected, pd.bit(c.d, i, j), c.d.bits, raw);
    }
  for (unsigned i = 0; i < c.m; ++i)
    for (unsigned j = 0; j < c.n; ++j)
      ASSERT_EQ(get(r.shared, pd.bit(c.d, i, j), c.d.bits),
                get(expected, pd.bit(c.d, i, j), c.d.bits))
          << p.body.substr(p.body.find("wmma")) << "row " << i << " column " << j;
  EXPECT_EQ(r.shared, expected) << "something else was written";
}

constexpr unsigned kShapes[][3] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};

template <class F>
void every_layout(F&& f) {
  for (unsigned i = 0; i < 16; ++i) f((i & 1) != 0, (i & 2) != 0, (i & 4) != 0, (i & 8) != 0);
}

TEST(Wmma, Halves) {
  for (const auto& s : kShapes)
    for (const Element& c : {kF16, kF32})
      for (const Element& d : {kF16, kF32})
        every_layout([&](bool la, bool lb, bool lc, bool ld) {
          check({.m = s[0],
                 .n = s[1],
                 .k = s[2],
                 .a = kF16,
                 .b = kF16,
                 .c = c,
                 .d = d,
                 .a_column = la,
                 .b_column = lb,
                 .c_column = lc,
                 .d_column = ld});
        });
}

TEST(Wmma, BrainFloats) {
  for (const auto& s : kShapes)
    every_layout([&](bool la, bool lb, bool lc, bool ld) {
      check({.m = s[0],
             .n = s[1],
             .k = s[2],
             .a = kBf16,
             .b = kBf16,
             .c = kF32,
             .d = kF32,
             .a_column = la,
             .b_column = lb,
             .c_column = lc,
             .d_column = ld});
    });
}

TEST(Wmma, TensorFloats) {
  every_layout([&](bool la, bool lb, bool lc, bool ld) {
    check({.m = 16,
           .n = 16,
           .k = 8,
           .a = kTf32,
           .b = kTf32,
           .c = kF32,
           .d = kF32,
           .a_column = la,
           .b_column = lb,
           .c_column = lc,
           .d_column = ld});
  });
}

TEST(Wmma, Doubles) {
  for (const char* rounding : {"", ".rn", ".rz", ".rm", ".rp"})
    every_layout([&](bool la, bool lb, bool lc, bool ld) {
      check({.m = 8,
             .n = 8,
             .k = 4,
             .a = kF64,
             .b = kF64,
             .c = kF64,
             .d = kF64,
             .a_column = la,
             .b_column = lb,
             .c_column = lc,
             .d_column = ld,
             .flavour = rounding});
    });
}

TEST(Wmma, Bytes) {
  for (const auto& s : kShapes)
    for (const Element& e : {kS8, kU8})
      for (const char* sat : {"", ".satfinite"})
        every_layout([&](bool la, bool lb, bool lc, bool ld) {
          check({.m = s[0],
                 .n = s[1],
                 .k = s[2],
                 .a = e,
                 .b = e,
                 .c = kS32,
                 .d = kS32,
                 .a_column = la,
                 .b_column = lb,
                 .c_column = lc,
                 .d_column = ld,
                 .flavour = sat});
        });
}

TEST(Wmma, NibblesAndBits) {
  for (bool lc : {false, true})
    for (bool ld : {false, true}) {
      for (const Element& e : {kS4, kU4})
        for (const char* sat : {"", ".satfinite"})
          check({.m = 8,
                 .n = 8,
                 .k = 32,
                 .a = e,
                 .b = e,
                 .c = kS32,
                 .d = kS32,
                 .c_column = lc,
                 .d_column = ld,
                 .flavour = sat});
      for (const char* op : {".xor.popc", ".and.popc"})
        check({.m = 8,
               .n = 8,
               .k = 128,
               .a = kB1,
               .b = kB1,
               .c = kS32,
               .d = kS32,
               .c_column = lc,
               .d_column = ld,
               .flavour = op});
    }
}

TEST(Wmma, WithoutAStrideAndThroughGenericAddresses) {
  every_layout([&](bool la, bool lb, bool lc, bool ld) {
    check({.m = 16,
           .n = 16,
           .k = 16,
           .a = kF16,
           .b = kF16,
           .c = kF32,
           .d = kF32,
           .a_column = la,
           .b_column = lb,
           .c_column = lc,
           .d_column = ld,
           .strided = false});
    check({.m = 32,
           .n = 8,
           .k = 16,
           .a = kF16,
           .b = kF16,
           .c = kF32,
           .d = kF32,
           .a_column = la,
           .b_column = lb,
           .c_column = lc,
           .d_column = ld,
           .space = ""});
  });
}

TEST(Wmma, MisuseIsReported) {
  TensorProgram p;
  p.outputs = 8;
  p.header = ".version 7.8\n.target sm_80\n.address_size 64\n";
  p.body = "add.u32 %t2, %s, %t0;\nwmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
           list_of("%o", 0, 8) + ", [%t2];\n";
  TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(1024));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kIllegal) << r.faults();
  p.body =
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " + list_of("%o", 0, 8) + ", [%s], 256;\n";
  r = run_tensor(p, {}, std::vector<uint32_t>(1024));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kOutOfBounds) << r.faults();
}

// Up to PTX 6.4: infinities become the largest number and NaN zero. Every element of A is a, of B
// b, of C c.
TEST(Wmma, HalvesSaturateToFiniteNumbers) {
  struct Row {
    uint32_t a, b;
    float c;
    double f32;  // of the exact sum, saturated
  };
  const double most = 3.4028234663852886e38;
  const Row rows[] = {{0x7bff, 0x7bff, 0, 16.0 * 65504 * 65504},
                      {0xfbff, 0x7bff, 0, -16.0 * 65504 * 65504},
                      {0x7c00, 0x3c00, 0, most},  // infinity
                      {0x7c00, 0xbc00, 5, -most},
                      {0x7e00, 0x3c00, 1, 0},  // NaN
                      {0x7c00, 0x0000, 1, 0},  // infinity times zero
                      {0x3c00, 0x4000, 2.5f, 34.5}};
  for (const Row& row : rows)
    for (bool d32 : {false, true}) {
      auto pair = [](uint32_t h) { return std::to_string(h << 16 | h); };
      TensorProgram p;
      p.header = ".version 6.3\n.target sm_70\n.address_size 64\n";
      p.outputs = 8;
      p.declarations = ".reg .b32 %a<8>, %b<8>, %c<8>;\n";
      for (int i = 0; i < 8; ++i) {
        const std::string n = std::to_string(i);
        p.body += "mov.b32 %a" + n + ", " + pair(row.a) + ";\nmov.b32 %b" + n + ", " + pair(row.b) +
                  ";\nmov.b32 %c" + n + ", " + std::to_string(bits_of_float(row.c)) +
                  ";\nmov.b32 %o" + n + ", 0;\n";
      }
      p.body += std::string("wmma.mma.sync.aligned.row.col.m16n16k16.") + (d32 ? "f32" : "f16") +
                ".f32.satfinite " + list_of("%o", 0, d32 ? 8 : 4) + ", " + list_of("%a", 0, 8) +
                ", " + list_of("%b", 0, 8) + ", " + list_of("%c", 0, 8) + ";\n";
      const TensorRun r = run_tensor(p, {});
      ASSERT_EQ(r.faults(), "");
      const double half = std::min(std::max(row.f32, -65504.0), 65504.0);
      const uint32_t want = d32 ? bits_of_float(static_cast<float>(row.f32))
                                : static_cast<uint32_t>(half_bits_of(half)) * 0x10001u;
      for (unsigned i = 0; i < (d32 ? 8u : 4u); ++i)
        for (unsigned l = 0; l < 32; ++l) ASSERT_EQ(r.out[i][l], want) << row.a << " " << row.b;
    }
}

}  // namespace
}  // namespace pitot::emulator::test::wmma_test
