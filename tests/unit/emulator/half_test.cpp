// Arithmetic and comparison of f16, bf16 and pairs, against exact sums rounded through the formats'
// lists of values.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "float_test_util.h"
#include "format_reference.h"

namespace pitot::emulator::test::half_test {
namespace {

constexpr const char* kVersion = "9.0";
constexpr const char* kTarget = "sm_100a";

struct HalfType {
  const char* name;
  const ReferenceFormat* format;
  bool ftz;  // whether the type has .ftz
};
const std::array<HalfType, 2>& types() {
  static const std::array<HalfType, 2> all = {
      {{"f16", &reference_f16(), true}, {"bf16", &reference_bf16(), false}}};
  return all;
}

// Special values, any bits, small exponents, near 1.
std::vector<uint16_t> samples16(uint64_t seed, bool brain, size_t count = 8192) {
  std::mt19937_64 random(seed);
  const uint32_t one = brain ? 0x3f80 : 0x3c00, inf = brain ? 0x7f80 : 0x7c00;
  const uint32_t special[] = {0,      0x8000, one, one | 0x8000, inf,     inf | 0x8000, inf | 1,
                              0x7fff, 0xffff, 1,   0x8001,       inf - 1, 0x3ff,        0x400,
                              0x7f,   0x80};
  std::vector<uint16_t> out;
  while (out.size() < count) {
    const auto r = static_cast<uint32_t>(random());
    const unsigned m = brain ? 7 : 10;
    switch (random() % 5) {
      case 0:
        out.push_back(static_cast<uint16_t>(special[r % std::size(special)]));
        break;
      case 1:
        out.push_back(static_cast<uint16_t>(r));
        break;
      case 2:
        out.push_back(static_cast<uint16_t>((r & 0x8000) | ((r & 0x7fff) >> (1 + r % 8))));
        break;
      default:
        out.push_back(static_cast<uint16_t>((r & (0x8000 | ((1u << m) - 1))) |
                                            ((one >> m) + (r >> 16) % 7 - 3) << m));
    }
  }
  return out;
}

// a·b + c to more bits than any half needs: exact, or where the terms are far apart the larger one
// moved a little towards the smaller.
long double sum(long double p, long double c) {
  if (p == 0 || c == 0 || !std::isfinite(p) || !std::isfinite(c)) return p + c;
  int ep, ec;
  std::frexp(p, &ep);
  std::frexp(c, &ec);
  if (std::abs(ep - ec) <= 40) return p + c;
  const long double large = ep > ec ? p : c, small = ep > ec ? c : p;
  return std::nextafter(large, small > 0 ? HUGE_VALL : -HUGE_VALL);
}

struct Flags {
  bool ftz = false, sat = false, relu = false;
  std::string text() const {
    return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (relu ? ".relu" : "");
  }
};

uint32_t finish(const ReferenceFormat& f, long double v, Mode mode, const Flags& flags) {
  if (flags.sat) v = v > 0 ? std::fmin(v, 1.0L) : 0.0L;
  if (flags.relu && v <= 0) v = 0;
  uint32_t r = f.encode(v, mode);
  if (flags.ftz && (r & 0x7c00) == 0) r &= 0x8000;
  return r;
}
long double source(const ReferenceFormat& f, uint32_t h, const Flags& flags) {
  if (flags.ftz && (h & 0x7c00) == 0) h &= 0x8000;
  return f.decode(h);
}

std::vector<uint16_t> map16(const std::string& name, unsigned operands,
                            const std::vector<uint16_t>& a, const std::vector<uint16_t>& b,
                            const std::vector<uint16_t>& c) {
  return map_same<uint16_t>(name, kHalf, operands, a, b, c, kVersion, kTarget);
}
std::vector<uint32_t> packed(const std::vector<uint16_t>& v) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i + 1 < v.size(); i += 2) out.push_back(uint32_t{v[i + 1]} << 16 | v[i]);
  return out;
}

// The instruction on halves gives `expected`, and on pairs the same twice.
template <class F>
void check(const std::string& name, const HalfType& t, unsigned operands, F expected) {
  const bool brain = !t.ftz;
  const auto a = samples16(1, brain), b = samples16(2, brain), c = samples16(3, brain);
  const auto got = map16(name + "." + t.name, operands, a, b, c);
  ASSERT_EQ(got.size(), a.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(got[i], expected(a[i], b[i], c[i]))
        << name << "." << t.name << std::hex << " of " << a[i] << ", " << b[i] << ", " << c[i];
  EXPECT_EQ(packed(got), map32(name + "." + t.name + "x2", operands, packed(a), packed(b),
                               packed(c), kVersion, kTarget))
      << name;
}

TEST(Half, Arithmetic) {
  for (const HalfType& t : types()) {
    const ReferenceFormat& f = *t.format;
    for (int bits = 0; bits < (t.ftz ? 4 : 1); ++bits) {
      const Flags flags{(bits & 1) != 0, (bits & 2) != 0, false};
      auto in = [&](uint32_t h) { return source(f, h, flags); };
      check("add.rn" + flags.text(), t, 2, [&](uint32_t a, uint32_t b, uint32_t) {
        return finish(f, sum(in(a), in(b)), Mode::kRn, flags);
      });
      check("sub" + flags.text(), t, 2, [&](uint32_t a, uint32_t b, uint32_t) {
        return finish(f, sum(in(a), -in(b)), Mode::kRn, flags);
      });
      check("mul" + flags.text(), t, 2, [&](uint32_t a, uint32_t b, uint32_t) {
        return finish(f, in(a)*in(b), Mode::kRn, flags);
      });
    }
    for (int bits = 0; bits < 6; ++bits) {
      const Flags flags{(bits & 1) != 0, bits / 2 == 1, bits / 2 == 2};
      if (!t.ftz && (flags.ftz || flags.sat)) continue;
      auto in = [&](uint32_t h) { return source(f, h, flags); };
      check("fma.rn" + flags.text(), t, 3, [&](uint32_t a, uint32_t b, uint32_t c) {
        return finish(f, sum(in(a)*in(b), in(c)), Mode::kRn, flags);
      });
    }
  }
}

TEST(Half, DirectedFmaOfBf16) {
  constexpr std::pair<const char*, Mode> kModes[] = {
      {"rz", Mode::kRz}, {"rm", Mode::kRm}, {"rp", Mode::kRp}};
  const ReferenceFormat& f = reference_bf16();
  for (const auto& [name, mode] : kModes)
    for (bool relu : {false, true}) {
      const Flags flags{false, false, relu};
      check(std::string("fma.") + name + flags.text(), types()[1], 3,
            [&, mode = mode](uint32_t a, uint32_t b, uint32_t c) {
              const long double p = f.decode(a) * f.decode(b), z = f.decode(c);
              long double v = sum(p, z);
              if (v == 0 && mode == Mode::kRm && std::signbit(p) != std::signbit(z)) v = -0.0L;
              return finish(f, v, mode, flags);
            });
    }
}

// A product halfway between two bf16, and an addend that only says to which side.
TEST(Half, FmaOfBf16DoesNotRoundTwice) {
  // 1.0000001b · 1.1b = 1.10000011b: 9 bits, halfway between 3fc0+1 and 3fc0+2.
  const std::vector<uint16_t> a(4, 0x3f81), b(4, 0x3fc0), c = {0, 0x8000, 0x0001, 0x8001};
  EXPECT_EQ(map16("fma.rn.bf16", 3, a, b, c),
            (std::vector<uint16_t>{0x3fc2, 0x3fc2, 0x3fc2, 0x3fc1}));
}

TEST(Half, MinimumAndMaximum) {
  for (const HalfType& t : types()) {
    const ReferenceFormat& f = *t.format;
    for (const char* name : {"min", "max"})
      for (bool nan : {false, true})
        for (bool xorsign : {false, true})
          for (bool ftz : {false, true}) {
            if (ftz && !t.ftz) continue;
            const bool maximum = name[1] == 'a';
            check(
                std::string(name) + (ftz ? ".ftz" : "") + (nan ? ".NaN" : "") +
                    (xorsign ? ".xorsign.abs" : ""),
                t, 2, [&](uint32_t a, uint32_t b, uint32_t) -> uint32_t {
                  const uint32_t sign = (a ^ b) & 0x8000;
                  auto in = [&](uint32_t h) {
                    if (ftz && (h & 0x7c00) == 0) h &= 0x8000;
                    return xorsign ? h & 0x7fff : h;
                  };
                  const uint32_t x = in(a), y = in(b);
                  const long double u = f.decode(x), v = f.decode(y);
                  uint32_t r;
                  if ((std::isnan(u) && std::isnan(v)) || (nan && (std::isnan(u) || std::isnan(v))))
                    return 0x7fff;
                  if (std::isnan(u)) {
                    r = y;
                  } else if (std::isnan(v)) {
                    r = x;
                  } else if (u == v) {  // zeros of either sign
                    r = maximum ? x & y : x | y;
                  } else {
                    r = (u < v) != maximum ? x : y;
                  }
                  return xorsign ? r | sign : r;
                });
          }
  }
}

TEST(Half, Signs) {
  for (const HalfType& t : types()) {
    const uint32_t infinity = t.ftz ? 0x7c00 : 0x7f80;
    const auto nan = [=](uint32_t a) { return (a & 0x7fff) > infinity; };  // 0x7fff on an H200
    check("abs", t, 1,
          [=](uint32_t a, uint32_t, uint32_t) { return nan(a) ? 0x7fff : a & 0x7fff; });
    check("neg", t, 1,
          [=](uint32_t a, uint32_t, uint32_t) { return nan(a) ? 0x7fff : a ^ 0x8000; });
  }
  auto flushed = [](uint32_t a) { return (a & 0x7c00) == 0 ? a & 0x8000 : a; };
  check("abs.ftz", types()[0], 1, [&](uint32_t a, uint32_t, uint32_t) {
    return (a & 0x7fff) > 0x7c00 ? 0x7fff : flushed(a) & 0x7fff;
  });
  check("neg.ftz", types()[0], 1, [&](uint32_t a, uint32_t, uint32_t) {
    return (a & 0x7fff) > 0x7c00 ? 0x7fff : flushed(a) ^ 0x8000;
  });
}

// f32 with halves: as f32 arithmetic on the widened halves.
TEST(Half, MixedPrecision) {
  for (const HalfType& t : types()) {
    const auto a = samples16(7, !t.ftz, 2048), b = samples16(8, !t.ftz, 2048);
    const auto c = samples32(9);
    std::vector<uint32_t> wa, wb;
    for (uint16_t h : a)
      wa.push_back(std::bit_cast<uint32_t>(static_cast<float>(t.format->decode(h))));
    for (uint16_t h : b)
      wb.push_back(std::bit_cast<uint32_t>(static_cast<float>(t.format->decode(h))));
    for (const char* mode : {"rn", "rz", "rm", "rp"})
      for (const char* sat : {"", ".sat"}) {
        const std::string end = std::string(".") + mode + sat + ".f32";
        for (const char* op : {"add", "sub"})
          EXPECT_EQ(values_of<uint32_t>(map_values(op + end + "." + t.name + " %d, %a, %b;", kWord,
                                                   {kHalf, kWord}, {bytes_of(a), bytes_of(c)},
                                                   a.size(), kVersion, kTarget)),
                    map32(op + end, 2, wa, c, c))
              << op << end;
        EXPECT_EQ(values_of<uint32_t>(map_values(
                      "fma" + end + "." + t.name + " %d, %a, %b, %c;", kWord, {kHalf, kHalf, kWord},
                      {bytes_of(a), bytes_of(b), bytes_of(c)}, a.size(), kVersion, kTarget)),
                  map32("fma" + end, 3, wa, wb, c))
            << end;
      }
  }
}

bool relation(const std::string& name, long double a, long double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (name == "num") return !unordered;
  if (name == "nan") return unordered;
  if (name.size() == 3 && unordered) return true;
  if (unordered) return false;
  const std::string base = name.substr(0, 2);
  return base == "eq"   ? a == b
         : base == "ne" ? a != b
         : base == "lt" ? a < b
         : base == "le" ? a <= b
         : base == "gt" ? a > b
                        : a >= b;
}

TEST(Half, Comparisons) {
  for (const HalfType& t : types()) {
    const ReferenceFormat& f = *t.format;
    const auto a = samples16(11, !t.ftz, 4096), b = samples16(12, !t.ftz, 4096);
    const auto pa = packed(a), pb = packed(b);
    for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu",
                             "geu", "num", "nan"})
      for (bool ftz : {false, true}) {
        if (ftz && !t.ftz) continue;
        const Flags flags{ftz, false, false};
        auto holds = [&](uint32_t x, uint32_t y) {
          return relation(name, source(f, x, flags), source(f, y, flags));
        };
        const std::string op = std::string(name) + flags.text();
        const auto p = values_of<uint32_t>(
            map_values("setp." + op + "." + t.name + " %d, %a, %b;", kPredicate, {kHalf, kHalf},
                       {bytes_of(a), bytes_of(b)}, a.size(), kVersion, kTarget));
        const auto one = map16("set." + op + "." + t.name + "." + t.name, 2, a, b, b);
        const auto ones = values_of<uint32_t>(
            map_values("set." + op + ".u32." + t.name + " %d, %a, %b;", kWord, {kHalf, kHalf},
                       {bytes_of(a), bytes_of(b)}, a.size(), kVersion, kTarget));
        for (size_t i = 0; i < a.size(); ++i) {
          const bool want = holds(a[i], b[i]);
          ASSERT_EQ(p[i], want) << op << t.name << std::hex << " " << a[i] << " " << b[i];
          ASSERT_EQ(one[i], want ? (t.ftz ? 0x3c00 : 0x3f80) : 0) << op;
          ASSERT_EQ(ones[i], want ? 0xffffffff : 0) << op;
        }
        const auto q = values_of<uint32_t>(map_values(
            "{ .reg .pred %x; setp." + op + "." + t.name + "x2 %x|%d, %a, %b; }", kPredicate,
            {kWord, kWord}, {bytes_of(pa), bytes_of(pb)}, pa.size(), kVersion, kTarget));
        const auto masks = values_of<uint32_t>(
            map_values("set." + op + ".u32." + t.name + "x2 %d, %a, %b;", kWord, {kWord, kWord},
                       {bytes_of(pa), bytes_of(pb)}, pa.size(), kVersion, kTarget));
        for (size_t i = 0; i < pa.size(); ++i) {
          const bool low = holds(pa[i] & 0xffff, pb[i] & 0xffff),
                     high = holds(pa[i] >> 16, pb[i] >> 16);
          ASSERT_EQ(q[i], high) << op;
          ASSERT_EQ(masks[i], (high ? 0xffff0000u : 0) | (low ? 0xffffu : 0)) << op;
        }
      }
  }
}

}  // namespace
}  // namespace pitot::emulator::test::half_test
