// cvt against lists of the formats' values and against exact integers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "float_test_util.h"
#include "format_reference.h"

namespace pitot::emulator::test {
namespace {

constexpr const char* kVersion = "9.0";
constexpr const char* kTarget = "sm_100a";
constexpr Kind kByte8{"b8", "b8", 1};

struct Named {
  const char* name;
  Mode mode;
};
constexpr Named kModes[] = {
    {"rn", Mode::kRn}, {"rz", Mode::kRz}, {"rm", Mode::kRm}, {"rp", Mode::kRp}};
constexpr Named kIntegral[] = {
    {"rni", Mode::kRn}, {"rzi", Mode::kRz}, {"rmi", Mode::kRm}, {"rpi", Mode::kRp}};

template <class D, class A>
std::vector<D> map1(const std::string& name, Kind to, Kind from, const std::vector<A>& a) {
  const auto text = name + " %d, %a;";
  const auto r = map_values(text, to, {from}, {bytes_of(a)}, a.size(), kVersion, kTarget);
  EXPECT_EQ(r, map_values(text, to, {from}, {bytes_of(a)}, a.size(), kVersion, kTarget, true));
  return values_of<D>(r);
}
std::vector<uint16_t> all16() {
  std::vector<uint16_t> v;
  for (uint32_t i = 0; i < 65536; ++i) v.push_back(static_cast<uint16_t>(i));
  return v;
}
template <class T>
uint32_t bits32(T v) {
  return std::bit_cast<uint32_t>(static_cast<float>(v));
}
uint32_t canonical(float v) { return std::isnan(v) ? 0x7fffffff : std::bit_cast<uint32_t>(v); }

// v rounded to float or double.
template <class T>
T rounded(long double v, Mode mode) {
  T r = static_cast<T>(v);
  const T inf = std::numeric_limits<T>::infinity();
  const bool high = static_cast<long double>(r) > v, low = static_cast<long double>(r) < v;
  if (high && (mode == Mode::kRm || (mode == Mode::kRz && v > 0))) r = std::nextafter(r, -inf);
  if (low && (mode == Mode::kRp || (mode == Mode::kRz && v < 0))) r = std::nextafter(r, inf);
  return r;
}
long double to_integral(long double v, Mode mode) {
  switch (mode) {
    case Mode::kRz:
      return std::trunc(v);
    case Mode::kRm:
      return std::floor(v);
    case Mode::kRp:
      return std::ceil(v);
    default: {
      const long double f = std::floor(v), d = v - f;
      const long double r = d < 0.5L ? f : d > 0.5L ? f + 1 : std::fmod(f, 2.0L) == 0 ? f : f + 1;
      return std::copysign(r, v);
    }
  }
}

TEST(Convert, EveryHalfToWiderFloats) {
  const auto in = all16();
  const auto f16 = map1<uint32_t>("cvt.f32.f16", kWord, kHalf, in);
  const auto bf16 = map1<uint32_t>("cvt.f32.bf16", kWord, kHalf, in);
  const auto f16_64 = map1<uint64_t>("cvt.f64.f16", kDouble, kHalf, in);
  const auto bf16_64 = map1<uint64_t>("cvt.f64.bf16", kDouble, kHalf, in);
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto h = static_cast<float>(reference_f16().decode(i));
    const auto b = static_cast<float>(reference_bf16().decode(i));
    ASSERT_EQ(f16[i], canonical(h)) << i;
    ASSERT_EQ(bf16[i], canonical(b)) << i;
    if (std::isnan(h)) {
      ASSERT_TRUE(std::isnan(std::bit_cast<double>(f16_64[i])));
    } else {
      ASSERT_EQ(f16_64[i], std::bit_cast<uint64_t>(static_cast<double>(h)));
    }
    if (std::isnan(b)) continue;
    ASSERT_EQ(bf16_64[i], std::bit_cast<uint64_t>(static_cast<double>(b)));
  }
}

TEST(Convert, F32ToHalvesInEveryDirection) {
  for (const auto& [type, format] :
       {std::pair{"f16", &reference_f16()}, std::pair{"bf16", &reference_bf16()}}) {
    auto in = format->interesting();
    for (uint32_t v : samples32(9, 4096)) in.push_back(std::bit_cast<float>(v));
    for (const Named& m : kModes) {
      const auto got =
          map1<uint16_t>(std::string("cvt.") + m.name + "." + type + ".f32", kHalf, kWord, in);
      for (size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(got[i], format->encode(in[i], m.mode))
            << type << m.name << std::hex << " " << bits32(in[i]);
    }
    for (const Named& m : {kModes[0], kModes[1]}) {
      const auto relu =
          map1<uint16_t>(std::string("cvt.") + m.name + ".relu." + type + ".f32", kHalf, kWord, in);
      const auto sat = map1<uint16_t>(std::string("cvt.") + m.name + ".satfinite." + type + ".f32",
                                      kHalf, kWord, in);
      for (size_t i = 0; i < in.size(); ++i) {
        const float v = in[i] <= 0 ? 0.0f : in[i];
        ASSERT_EQ(relu[i], format->encode(v, m.mode));
        ASSERT_EQ(sat[i], format->encode(in[i], m.mode, true));
      }
    }
  }
}

TEST(Convert, PairsOfHalves) {
  for (const auto& [type, format] :
       {std::pair{"f16", &reference_f16()}, std::pair{"bf16", &reference_bf16()}}) {
    const auto all = format->interesting();
    std::vector<float> a;
    for (size_t i = 0; i < all.size(); i += 11) a.push_back(all[i]);
    auto b = a;
    std::reverse(b.begin(), b.end());
    for (const char* mode : {"rn", "rz"})
      for (const char* more : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
        const std::string end = std::string(mode) + more + "." + type;
        const auto both = values_of<uint32_t>(map_values("cvt." + end + "x2.f32 %d, %a, %b;", kWord,
                                                         {kWord, kWord}, {bytes_of(a), bytes_of(b)},
                                                         a.size(), kVersion, kTarget));
        const auto high = map1<uint16_t>("cvt." + end + ".f32", kHalf, kWord, a);
        const auto low = map1<uint16_t>("cvt." + end + ".f32", kHalf, kWord, b);
        for (size_t i = 0; i < a.size(); ++i)
          ASSERT_EQ(both[i], uint32_t{high[i]} << 16 | low[i]) << end;
      }
  }
}

struct Small {
  const char* name;
  ReferenceFormat format;
  unsigned stride;
  Kind kind;
};
const std::vector<Small>& small_formats() {
  static const std::vector<Small> all = {{"e4m3x2", {4, 3, 'n'}, 8, kHalf},
                                         {"e5m2x2", {5, 2, 'i'}, 8, kHalf},
                                         {"e2m3x2", {2, 3, 'f'}, 8, kHalf},
                                         {"e3m2x2", {3, 2, 'f'}, 8, kHalf},
                                         {"e2m1x2", {2, 1, 'f'}, 4, kByte8}};
  return all;
}

template <class F>
void check_small(const Small& s, const std::string& text, const std::vector<Kind>& kinds,
                 const std::vector<Bytes>& in, size_t count, F expected) {
  const auto raw = map_values(text, s.kind, kinds, in, count, kVersion, kTarget);
  for (size_t i = 0; i < count; ++i) {
    uint16_t got = 0;
    std::memcpy(&got, raw.data() + i * s.kind.bytes, s.kind.bytes);
    const auto [high, low] = expected(i);
    ASSERT_EQ(got, high << s.stride | low) << text << " " << i;
  }
}

TEST(Convert, F32ToSmallFloats) {
  for (const Small& s : small_formats())
    for (bool relu : {false, true}) {
      auto a = s.format.interesting();
      for (uint32_t v : samples32(11, 1000)) a.push_back(std::bit_cast<float>(v));
      auto b = a;
      std::reverse(b.begin(), b.end());
      auto one = [&](float v) {
        return s.format.encode(relu && v <= 0 ? 0.0f : v, Mode::kRn, true);
      };
      check_small(
          s, std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + s.name + ".f32 %d, %a, %b;",
          {kWord, kWord}, {bytes_of(a), bytes_of(b)}, a.size(), [&](size_t i) {
            return std::pair{one(a[i]), one(b[i])};
          });
    }
}

TEST(Convert, EveryHalfToSmallFloats) {
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < 65536; ++i) in.push_back(i << 16 | (i * 40503 & 0xffff));
  for (const Small& s : small_formats()) {
    const bool fp6 = s.kind.bytes == 2 && s.name[1] != '4' && s.name[1] != '5';
    if (fp6) continue;  // from f16x2 only since 9.1
    check_small(s, std::string("cvt.rn.satfinite.") + s.name + ".f16x2 %d, %a;", {kWord},
                {bytes_of(in)}, in.size(), [&](size_t i) {
                  auto one = [&](uint32_t h) {
                    return s.format.encode(reference_f16().decode(h), Mode::kRn, true);
                  };
                  return std::pair{one(in[i] >> 16), one(in[i] & 0xffff)};
                });
  }
  // 9.1: all of them, from bf16x2 too.
  for (const Small& s : small_formats())
    for (const char* from : {"f16x2", "bf16x2"}) {
      const auto& source = from[0] == 'f' ? reference_f16() : reference_bf16();
      const auto raw =
          map_values(std::string("cvt.rn.satfinite.") + s.name + "." + from + " %d, %a;", s.kind,
                     {kWord}, {bytes_of(in)}, in.size(), "9.1", "sm_100f");
      for (size_t i = 0; i < in.size(); ++i) {
        uint16_t got = 0;
        std::memcpy(&got, raw.data() + i * s.kind.bytes, s.kind.bytes);
        auto one = [&](uint32_t h) { return s.format.encode(source.decode(h), Mode::kRn, true); };
        ASSERT_EQ(got, one(in[i] >> 16) << s.stride | one(in[i] & 0xffff)) << s.name << from;
      }
    }
}

TEST(Convert, EverySmallFloatToF16) {
  for (const Small& s : small_formats())
    for (bool relu : {false, true}) {
      std::vector<uint8_t> bytes;
      std::vector<uint16_t> halves;
      const uint32_t ones = 2 * s.format.sign() - 1, codes = ones + 1;
      for (uint32_t i = 0; i < codes; ++i) {
        const uint32_t other = (i * 37 + 5) & ones;
        bytes.push_back(static_cast<uint8_t>(i << 4 | other));
        halves.push_back(static_cast<uint16_t>(i << 8 | other));
      }
      const Bytes in = s.kind.bytes == 1 ? bytes_of(bytes) : bytes_of(halves);
      const auto got = values_of<uint32_t>(map_values(
          std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + s.name + " %d, %a;", kWord,
          {s.kind}, {in}, codes, kVersion, kTarget));
      auto one = [&](uint32_t code) {
        const long double v = s.format.decode(code);
        return reference_f16().encode(relu && v <= 0 ? 0.0L : v, Mode::kRn);
      };
      for (uint32_t i = 0; i < codes; ++i)
        ASSERT_EQ(got[i], one(i) << 16 | one((i * 37 + 5) & ones)) << s.name << i;
    }
}

TEST(Convert, Ue8m0) {
  const std::vector<float> in = {0.0f,      -0.0f,           1.0f,      1.5f,      -1.5f,
                                 2.0f,      0x1p-127f,       0x1p-128f, 0x1p-149f, 0x1.8p-127f,
                                 0x1p-126f, 0x1.fffffep127f, 0x1p127f,  HUGE_VALF, std::nanf("")};
  // Down, up, and up with satfinite; the last pair without it overflows to NaN.
  const uint32_t rz[] = {0, 0, 127, 127, 127, 128, 0, 0, 0, 0, 1, 254, 254, 255, 255};
  const uint32_t rp[] = {0, 0, 127, 128, 128, 128, 0, 0, 0, 1, 1, 255, 254, 255, 255};
  const auto get = [&](const char* name) {
    return values_of<uint16_t>(map_values(std::string("cvt.") + name + ".ue8m0x2.f32 %d, %a, %a;",
                                          kHalf, {kWord}, {bytes_of(in)}, in.size(), kVersion,
                                          kTarget));
  };
  const auto down = get("rz"), up = get("rp"), down_sat = get("rz.satfinite"),
             up_sat = get("rp.satfinite");
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(down[i], rz[i] * 0x101) << in[i];
    EXPECT_EQ(up[i], rp[i] * 0x101) << in[i];
    const bool nan = std::isnan(in[i]);
    EXPECT_EQ(down_sat[i], (nan ? 255 : std::min(rz[i], 254u)) * 0x101) << in[i];
    EXPECT_EQ(up_sat[i], (nan ? 255 : std::min(rp[i], 254u)) * 0x101) << in[i];
  }
  std::vector<uint16_t> codes;
  for (uint32_t i = 0; i < 256; ++i) codes.push_back(static_cast<uint16_t>(i << 8 | (255 - i)));
  const auto back = map1<uint32_t>("cvt.rn.bf16x2.ue8m0x2", kWord, kHalf, codes);
  auto value = [](uint32_t i) { return i == 255 ? 0x7fffu : i == 0 ? 0x40u : i << 7; };
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(back[i], value(i) << 16 | value(255 - i)) << i;
}

TEST(Convert, Tf32) {
  const ReferenceFormat tf32(8, 10, 'i');
  std::vector<float> in;
  for (uint32_t v : samples32(13, 4096)) {
    in.push_back(std::bit_cast<float>(v));
    in.push_back(std::bit_cast<float>((v & ~0x1fffu) | 0x1000));  // halfway
  }
  for (const Named& m : {Named{"rna", Mode::kRna}, kModes[0], kModes[1]})
    for (bool sat : {false, true}) {
      const auto got = map1<uint32_t>(
          std::string("cvt.") + m.name + (sat ? ".satfinite" : "") + ".tf32.f32", kWord, kWord, in);
      for (size_t i = 0; i < in.size(); ++i) {
        // What rna makes of a NaN hangs on its bits.
        if (std::isnan(in[i]) && m.mode == Mode::kRna) continue;
        ASSERT_EQ(got[i], std::isnan(in[i]) ? 0x7fffe000 : tf32.encode(in[i], m.mode, sat) << 13)
            << m.name << std::hex << bits32(in[i]);
      }
    }
}

TEST(Convert, BetweenF32AndF64) {
  const auto wide = samples64(21, 4096);
  for (const Named& m : kModes)
    for (const char* flags : {"", ".ftz", ".sat"}) {
      const auto got =
          map1<uint32_t>(std::string("cvt.") + m.name + flags + ".f32.f64", kWord, kDouble, wide);
      for (size_t i = 0; i < wide.size(); ++i) {
        auto r = rounded<float>(std::bit_cast<double>(wide[i]), m.mode);
        if (flags[0] != 0 && flags[1] == 'f' && std::fpclassify(r) == FP_SUBNORMAL)
          r = std::copysign(0.0f, r);
        if (flags[0] != 0 && flags[1] == 's') r = r > 0 ? std::fmin(r, 1.0f) : 0.0f;
        ASSERT_EQ(got[i], canonical(r)) << m.name << flags << std::hex << wide[i];
      }
    }
  const auto narrow = samples32(22);
  const auto got = map1<uint64_t>("cvt.f64.f32", kDouble, kWord, narrow);
  const auto flushed = map1<uint64_t>("cvt.ftz.f64.f32", kDouble, kWord, narrow);
  for (size_t i = 0; i < narrow.size(); ++i) {
    const auto v = std::bit_cast<float>(narrow[i]);
    if (std::isnan(v)) {
      ASSERT_TRUE(std::isnan(std::bit_cast<double>(got[i])));
      continue;
    }
    ASSERT_EQ(got[i], std::bit_cast<uint64_t>(static_cast<double>(v)));
    const double f = std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0, v) : v;
    ASSERT_EQ(flushed[i], std::bit_cast<uint64_t>(f));
  }
}

struct Integer {
  const char* name;
  unsigned bits;
  bool is_signed;
  long double low() const { return is_signed ? -std::ldexp(1.0L, static_cast<int>(bits) - 1) : 0; }
  long double high() const {
    return std::ldexp(1.0L, static_cast<int>(bits - (is_signed ? 1 : 0))) - 1;
  }
};
constexpr Integer kIntegers[] = {{"u8", 8, false},   {"u16", 16, false}, {"u32", 32, false},
                                 {"u64", 64, false}, {"s8", 8, true},    {"s16", 16, true},
                                 {"s32", 32, true},  {"s64", 64, true}};

// The register in which a value of so many bits ends, 64 wide: extended by sign or zeros.
uint64_t extended(uint64_t v, const Integer& t) {
  const unsigned cut = 64 - t.bits;
  return t.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(v << cut) >> cut)
                     : (v << cut) >> cut;
}
uint64_t integer_bits(long double v, const Integer& t) {
  return v < 0 ? extended(static_cast<uint64_t>(static_cast<int64_t>(v)), t)
               : static_cast<uint64_t>(v);
}

TEST(Convert, FloatsToIntegers) {
  std::vector<uint32_t> f32 = samples32(31);
  std::vector<uint64_t> f64 = samples64(32);
  for (int e = -2; e <= 66; ++e)  // around every power of two, with halves
    for (long double d : {-1.5L, -1.0L, -0.5L, -0.25L, 0.0L, 0.25L, 0.5L, 1.0L, 1.5L})
      for (int sign : {-1, 1}) {
        const long double v = sign * (std::ldexp(1.0L, e) + d);
        f32.push_back(bits32(v));
        f64.push_back(std::bit_cast<uint64_t>(static_cast<double>(v)));
      }
  auto expected = [](long double v, const Integer& t, Mode mode, bool from_f64) -> uint64_t {
    if (std::isnan(v)) return from_f64 || t.bits == 64 ? extended(1ull << (t.bits - 1), t) : 0;
    return integer_bits(std::clamp(to_integral(v, mode), t.low(), t.high()), t);
  };
  for (const Integer& t : kIntegers)
    for (const Named& m : kIntegral) {
      const std::string name = std::string("cvt.") + m.name;
      const auto a = map1<uint64_t>(name + "." + t.name + ".f32", kDouble, kWord, f32);
      const auto z = map1<uint64_t>(name + ".ftz.sat." + t.name + ".f32", kDouble, kWord, f32);
      for (size_t i = 0; i < f32.size(); ++i) {
        const auto v = std::bit_cast<float>(f32[i]);
        ASSERT_EQ(a[i], expected(v, t, m.mode, false)) << name << t.name << " of " << v;
        const float f = std::fpclassify(v) == FP_SUBNORMAL ? 0 : v;
        ASSERT_EQ(z[i], expected(f, t, m.mode, false)) << name << t.name << " of " << v;
      }
      const auto b = map1<uint64_t>(name + "." + t.name + ".f64", kDouble, kDouble, f64);
      for (size_t i = 0; i < f64.size(); ++i)
        ASSERT_EQ(b[i], expected(std::bit_cast<double>(f64[i]), t, m.mode, true))
            << name << t.name << " of " << std::bit_cast<double>(f64[i]);
    }
}

// s32 and u32 in registers of their own width, the loops that vectorise.
TEST(Convert, F32ToWordsInWordRegisters) {
  const auto in = samples32(33, 4096);
  for (const Integer& t : {kIntegers[2], kIntegers[6]})
    for (const Named& m : kIntegral)
      for (const char* ftz : {"", ".ftz"}) {
        const std::string name = std::string("cvt.") + m.name + ftz + "." + t.name + ".f32";
        const auto narrow = map1<uint32_t>(name, kWord, kWord, in);
        const auto wide = map1<uint64_t>(name, kDouble, kWord, in);
        for (size_t i = 0; i < in.size(); ++i)
          ASSERT_EQ(narrow[i], static_cast<uint32_t>(wide[i])) << name << std::hex << in[i];
      }
}

TEST(Convert, EveryHalfToIntegers) {
  const auto in = all16();
  for (const Integer& t : kIntegers)
    for (const Named& m : kIntegral) {
      const auto name = std::string("cvt.") + m.name + "." + t.name + ".f16";
      const auto got = map1<uint64_t>(name, kDouble, kHalf, in);
      for (uint32_t i = 0; i < 65536; ++i) {
        const long double v = reference_f16().decode(i);
        const uint64_t want =
            std::isnan(v) ? (t.bits == 64 ? 1ull << 63 : 0)
                          : integer_bits(std::clamp(to_integral(v, m.mode), t.low(), t.high()), t);
        ASSERT_EQ(got[i], want) << name << " of " << std::hex << i;
      }
    }
}

TEST(Convert, IntegersToFloats) {
  std::vector<uint64_t> in = samples64(41, 1024);
  for (unsigned e = 0; e < 64; ++e)
    for (int d : {-3, -2, -1, 0, 1, 2, 3}) {
      in.push_back((1ull << e) + static_cast<uint64_t>(d));
      in.push_back(0 - (1ull << e) + static_cast<uint64_t>(d));
      in.push_back((3ull << e) + static_cast<uint64_t>(d) + (1ull << e >> 24));
    }
  for (const Integer& t : kIntegers)
    for (const Named& m : kModes) {
      auto value = [&](uint64_t raw) {
        const uint64_t v = extended(raw, t);
        return t.is_signed ? static_cast<long double>(static_cast<int64_t>(v))
                           : static_cast<long double>(v);
      };
      const std::string name = std::string("cvt.") + m.name;
      const auto f32 = map1<uint32_t>(name + ".f32." + t.name, kWord, kDouble, in);
      const auto sat = map1<uint32_t>(name + ".sat.f32." + t.name, kWord, kDouble, in);
      const auto f64 = map1<uint64_t>(name + ".f64." + t.name, kDouble, kDouble, in);
      const auto f16 = map1<uint16_t>(name + ".f16." + t.name, kHalf, kDouble, in);
      for (size_t i = 0; i < in.size(); ++i) {
        const long double v = value(in[i]);
        ASSERT_EQ(f32[i], bits32(rounded<float>(v, m.mode))) << name << t.name << in[i];
        ASSERT_EQ(sat[i], bits32(v > 0 ? 1.0f : 0.0f));
        ASSERT_EQ(f64[i], std::bit_cast<uint64_t>(rounded<double>(v, m.mode)));
        ASSERT_EQ(f16[i], reference_f16().encode(v, m.mode)) << name << t.name << in[i];
      }
    }
  // The loops of their own: 32-bit registers.
  std::vector<uint32_t> words;
  for (uint64_t v : in) words.push_back(static_cast<uint32_t>(v));
  const auto s = map1<uint32_t>("cvt.rn.f32.s32", kWord, kWord, words);
  const auto u = map1<uint32_t>("cvt.rn.f32.u32", kWord, kWord, words);
  const auto s64 = map1<uint64_t>("cvt.rn.f64.s32", kDouble, kWord, words);
  const auto u64 = map1<uint64_t>("cvt.rn.f64.u32", kDouble, kWord, words);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto v = static_cast<int32_t>(words[i]);
    ASSERT_EQ(s[i], bits32(v));
    ASSERT_EQ(u[i], bits32(words[i]));
    ASSERT_EQ(s64[i], std::bit_cast<uint64_t>(static_cast<double>(v)));
    ASSERT_EQ(u64[i], std::bit_cast<uint64_t>(static_cast<double>(words[i])));
  }
}

TEST(Convert, BetweenIntegersOfAnyWidthAndRegister) {
  const auto raw = samples64(51, 512);
  std::vector<uint32_t> words;
  for (uint64_t v : raw) words.push_back(static_cast<uint32_t>(v));
  for (const Integer& to : kIntegers)
    for (const Integer& from : kIntegers) {
      const std::string types = std::string(".") + to.name + "." + from.name;
      auto check = [&](const auto& in, Kind source) {
        for (const Kind& d : {kHalf, kWord, kDouble}) {
          if (d.bytes * 8 < to.bits) continue;
          const auto got = map_values("cvt" + types + " %d, %a;", d, {source}, {bytes_of(in)},
                                      in.size(), kVersion, kTarget);
          for (size_t i = 0; i < in.size(); ++i) {
            uint64_t g = 0, want = extended(extended(in[i], from), to);
            std::memcpy(&g, got.data() + i * d.bytes, d.bytes);
            if (d.bytes < 8) want &= (1ull << (8 * d.bytes)) - 1;
            ASSERT_EQ(g, want) << types << " in " << d.bytes << " of " << std::hex << in[i];
          }
        }
      };
      check(raw, kDouble);
      if (from.bits <= 32) check(words, kWord);
      // .sat is legal only where something can be cut off.
      if (from.low() >= to.low() && from.high() <= to.high()) continue;
      const auto sat = map1<uint64_t>("cvt.sat" + types, kDouble, kDouble, raw);
      for (size_t i = 0; i < raw.size(); ++i) {
        const uint64_t e = extended(raw[i], from);
        const long double v = from.is_signed ? static_cast<long double>(static_cast<int64_t>(e))
                                             : static_cast<long double>(e);
        ASSERT_EQ(sat[i], integer_bits(std::clamp(v, to.low(), to.high()), to)) << types;
      }
    }
}

TEST(Convert, FloatsToIntegralFloats) {
  const auto in = samples32(61, 4096);
  for (const Named& m : kIntegral) {
    const auto f = map1<uint32_t>(std::string("cvt.") + m.name + ".f32.f32", kWord, kWord, in);
    const auto sat =
        map1<uint32_t>(std::string("cvt.") + m.name + ".ftz.sat.f32.f32", kWord, kWord, in);
    for (size_t i = 0; i < in.size(); ++i) {
      const auto v = std::bit_cast<float>(in[i]);
      ASSERT_EQ(f[i], canonical(static_cast<float>(to_integral(v, m.mode))));
      const float z = std::fpclassify(v) == FP_SUBNORMAL ? 0 : v;
      const auto r = static_cast<float>(to_integral(z, m.mode));
      ASSERT_EQ(sat[i], bits32(r > 0 ? std::fmin(r, 1.0f) : 0.0f));
    }
  }
  const auto halves = all16();
  for (const Named& m : kIntegral)
    for (const auto& [type, format] :
         {std::pair{"f16", &reference_f16()}, std::pair{"bf16", &reference_bf16()}}) {
      const auto got = map1<uint16_t>(std::string("cvt.") + m.name + "." + type + "." + type, kHalf,
                                      kHalf, halves);
      for (uint32_t i = 0; i < 65536; ++i)
        ASSERT_EQ(got[i], format->encode(to_integral(format->decode(i), m.mode), Mode::kRn));
    }
}

TEST(Convert, Pack) {
  // sat.u8: a above b, the low half of c above both.
  auto run = [](const std::string& text, std::vector<uint32_t> a, std::vector<uint32_t> b,
                std::vector<uint32_t> c) {
    return values_of<uint32_t>(map_values(text, kWord, {kWord, kWord, kWord},
                                          {bytes_of(a), bytes_of(b), bytes_of(c)}, a.size(),
                                          kVersion, kTarget));
  };
  const std::vector<uint32_t> a = {300, 0xffffffff, 7}, b = {0xffffff00, 5, 0x80000000},
                              c = {0x12345678, 0xabcd, 0};
  EXPECT_EQ(run("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", a, b, c),
            (std::vector<uint32_t>{0x5678ff00, 0xabcd0005, 0x00000700}));
  EXPECT_EQ(run("cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", a, b, c),
            (std::vector<uint32_t>{0x56787f80, 0xabcdff05, 0x00000780}));
  EXPECT_EQ(run("cvt.pack.sat.s16.s32 %d, %a, %b;", a, b, c),
            (std::vector<uint32_t>{0x012cff00, 0xffff0005, 0x00078000}));
  EXPECT_EQ(run("cvt.pack.sat.u16.s32 %d, %a, %b;", a, b, c),
            (std::vector<uint32_t>{0x012c0000, 0x00000005, 0x00070000}));
  EXPECT_EQ(run("cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", a, b, c),
            (std::vector<uint32_t>{0x34567878, 0x00abcdf5, 0x00000078}));
  EXPECT_EQ(run("cvt.pack.sat.u2.s32.b32 %d, %a, %b, %c;", a, b, c),
            (std::vector<uint32_t>{0x2345678c, 0x000abcd3, 0x0000000c}));
}

}  // namespace
}  // namespace pitot::emulator::test
