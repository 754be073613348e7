// cvt with s2f6, scale factors and random bits, against lists of values.
#include "float_test_util.h"
#include "format_reference.h"

namespace pitot::emulator::test {
namespace {

constexpr const char *kScaledVersion = "9.2", *kScaledTarget = "sm_100a";
constexpr Kind kByteOperand{"b8", "u8", 1};

// The nearest of all 256 values, ties to the even code; beyond the ends the end, NaN the largest.
uint32_t nearest_s2f6(long double v) {
  if (std::isnan(v) || v > 2) return 127;
  if (v < -2) return 128;
  int best = 0;
  long double distance = HUGE_VALL;
  for (int code = -128; code < 128; ++code) {
    const long double d = std::fabs(v - code / 64.0L);
    if (d < distance || (d == distance && code % 2 == 0)) {
      best = code;
      distance = d;
    }
  }
  return static_cast<uint32_t>(best) & 0xff;
}

long double power(uint32_t byte) {
  return byte == 255 ? std::nanl("") : std::ldexp(1.0L, static_cast<int>(byte) - 127);
}

std::vector<float> around_s2f6() {
  std::vector<float> out = {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, std::nanf(""), 1e30f, -1e-30f};
  for (int i = -300; i <= 300; ++i)
    for (float x : {std::nextafter(static_cast<float>(i) / 128, 9.0f), static_cast<float>(i) / 128,
                    std::nextafter(static_cast<float>(i) / 128, -9.0f)})
      out.push_back(x);
  return out;
}

TEST(ConvertScaled, F32ToS2f6) {
  const auto a = around_s2f6();
  auto b = a;
  std::reverse(b.begin(), b.end());
  std::vector<uint16_t> scale;
  std::mt19937 rng(3);
  for (size_t i = 0; i < a.size(); ++i)
    scale.push_back(static_cast<uint16_t>(i % 7 == 0 ? rng() : 0x7e80 + rng() % 3 * 0x100));
  for (bool relu : {false, true})
    for (bool scaled : {false, true}) {
      const std::string text = std::string("cvt.rn.satfinite") + (relu ? ".relu" : "") +
                               (scaled ? ".scaled::n2::ue8m0" : "") + ".s2f6x2.f32 %d, %a, %b" +
                               (scaled ? ", %c;" : ";");
      std::vector<Kind> kinds = {kWord, kWord};
      std::vector<Bytes> in = {bytes_of(a), bytes_of(b)};
      if (scaled) {
        kinds.push_back(kHalf);
        in.push_back(bytes_of(scale));
      }
      const auto got = values_of<uint16_t>(
          map_values(text, kHalf, kinds, in, a.size(), kScaledVersion, kScaledTarget));
      for (size_t i = 0; i < a.size(); ++i) {
        auto one = [&](float v, uint32_t s) {
          const long double x = v / (scaled ? power(s) : 1.0L);
          return nearest_s2f6(relu && x <= 0 ? 0 : x);
        };
        ASSERT_EQ(got[i], one(a[i], scale[i] >> 8) << 8 | one(b[i], scale[i] & 0xff))
            << text << a[i] << " " << b[i];
      }
    }
}

TEST(ConvertScaled, EveryBf16ToS2f6) {
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < 65536; ++i) in.push_back(i << 16 | (i * 40503 & 0xffff));
  const auto got =
      values_of<uint16_t>(map_values("cvt.rn.satfinite.s2f6x2.bf16x2 %d, %a;", kHalf, {kWord},
                                     {bytes_of(in)}, in.size(), kScaledVersion, kScaledTarget));
  for (size_t i = 0; i < in.size(); ++i)
    ASSERT_EQ(got[i], nearest_s2f6(reference_bf16().decode(in[i] >> 16)) << 8 |
                          nearest_s2f6(reference_bf16().decode(in[i] & 0xffff)))
        << in[i];
}

struct SmallSource {
  const char* name;
  unsigned bits, step;
  char top;
  int exponent, mantissa;
};

// Every code under every scale.
TEST(ConvertScaled, SmallFormatsToBf16) {
  const SmallSource sources[] = {{"s2f6x2", 8, 8, 's', 0, 0}, {"e4m3x2", 8, 8, 'n', 4, 3},
                                 {"e5m2x2", 8, 8, 'i', 5, 2}, {"e2m3x2", 6, 8, 'f', 2, 3},
                                 {"e3m2x2", 6, 8, 'f', 3, 2}, {"e2m1x2", 4, 4, 'f', 2, 1}};
  for (const SmallSource& s : sources)
    for (const char* flavour : {"", ".satfinite", ".relu"}) {
      const ReferenceFormat format(std::max(s.exponent, 1), std::max(s.mantissa, 1),
                                   s.top == 's' ? 'f' : s.top);
      auto value = [&](uint32_t code) {
        return s.top == 's' ? static_cast<int8_t>(code) / 64.0L : format.decode(code);
      };
      std::vector<uint16_t> in, scale;
      for (uint32_t code = 0; code < 1u << s.bits; ++code)
        for (uint32_t e = 0; e < 256; e += e < 16 || e > 240 ? 1 : 5) {
          const uint32_t other = (code * 7 + e) & ((1u << s.bits) - 1);
          in.push_back(static_cast<uint16_t>(code << s.step | other));
          scale.push_back(static_cast<uint16_t>(e << 8 | ((e * 11 + code) & 255)));
        }
      const bool nibbles = s.step == 4;
      std::vector<uint8_t> bytes(in.begin(), in.end());
      const std::string text =
          std::string("cvt.rn") + flavour + ".scaled::n2::ue8m0.bf16x2." + s.name + " %d, %a, %b;";
      const auto got = values_of<uint32_t>(
          map_values(text, kWord, {nibbles ? kByteOperand : kHalf, kHalf},
                     {nibbles ? bytes_of(bytes) : bytes_of(in), bytes_of(scale)}, in.size(),
                     kScaledVersion, kScaledTarget));
      auto one = [&](uint32_t code, uint32_t e) {
        const long double v = value(code) * power(e);
        const bool zero = flavour[0] == '.' && flavour[1] == 'r' && v <= 0;
        return reference_bf16().encode(zero ? 0 : v, Mode::kRn,
                                       flavour[0] == '.' && flavour[1] == 's');
      };
      for (size_t i = 0; i < in.size(); ++i) {
        const uint32_t ones = (1u << s.step) - 1;
        ASSERT_EQ(got[i], one(in[i] >> s.step & ones, scale[i] >> 8) << 16 |
                              one(in[i] & ones, scale[i] & 0xff))
            << text << in[i] << " scale " << scale[i];
      }
    }
}

TEST(ConvertScaled, S2f6WithoutScales) {
  std::vector<uint16_t> in;
  for (uint32_t i = 0; i < 256; ++i) in.push_back(static_cast<uint16_t>(i << 8 | (255 - i)));
  const auto got =
      values_of<uint32_t>(map_values("cvt.rn.bf16x2.s2f6x2 %d, %a;", kWord, {kHalf}, {bytes_of(in)},
                                     in.size(), kScaledVersion, kScaledTarget));
  for (uint32_t i = 0; i < 256; ++i) {
    EXPECT_EQ(reference_bf16().decode(got[i] >> 16), static_cast<int8_t>(i) / 64.0L);
    EXPECT_EQ(reference_bf16().decode(got[i] & 0xffff), static_cast<int8_t>(255 - i) / 64.0L);
  }
}

// Between two neighbours of the format, as far as the random number reaches over the distance.
uint32_t randomly(const ReferenceFormat& f, unsigned bits, float v, uint32_t random, bool relu,
                  bool satfinite) {
  if (std::isnan(v)) return f.sign() - 1;
  const uint32_t down = f.encode(v, Mode::kRz, satfinite);
  const uint32_t magnitude = down & (f.sign() - 1);
  uint32_t r = down;
  if (!std::isinf(v) && magnitude < f.values().size()) {
    const long double below = f.values()[magnitude];
    const long double unit = magnitude + 1 < f.values().size() ? f.values()[magnitude + 1] - below
                                                               : below - f.values()[magnitude - 1];
    const long double part = (std::fabs(static_cast<long double>(v)) - below) / unit;
    if (part * (1u << bits) + random >= (1u << bits) && part > 0) ++r;
    if (satfinite && (r & (f.sign() - 1)) >= f.values().size()) r = down;
  }
  return relu && std::signbit(v) ? 0 : r;
}

TEST(ConvertScaled, RandomHalves) {
  std::mt19937 rng(5);
  std::vector<float> a, b;
  std::vector<uint32_t> random;
  for (size_t i = 0; i < 20000; ++i) {
    auto one = [&](bool brain) {
      const uint32_t r = rng();
      if (brain || i % 3 == 0) return std::bit_cast<float>(r);
      // About the range of f16, from its smallest normal number on.
      return std::bit_cast<float>((r & 0x807fffff) | (113 + r / 8388608 % 31) << 23);
    };
    a.push_back(one(false));
    b.push_back(one(false));
    random.push_back(i % 5 == 0 ? UINT32_MAX : rng());
  }
  for (bool brain : {true, false}) {
    auto x = a, y = b;
    if (!brain)  // subnormal results are a fault
      for (auto* v : {&x, &y})
        for (float& f : *v)
          if (std::fabs(f) < 0x1p-14f) f = 0;
    for (const char* flavour : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
      const std::string text =
          std::string("cvt.rs") + flavour + (brain ? ".bf16x2" : ".f16x2") + ".f32 %d, %a, %b, %c;";
      const auto got = values_of<uint32_t>(map_values(text, kWord, {kWord, kWord, kWord},
                                                      {bytes_of(x), bytes_of(y), bytes_of(random)},
                                                      x.size(), kScaledVersion, kScaledTarget));
      const bool relu = std::string(flavour).find("relu") != std::string::npos;
      const bool sat = std::string(flavour).find("sat") != std::string::npos;
      const auto& f = brain ? reference_bf16() : reference_f16();
      const unsigned bits = brain ? 16 : 13;
      const uint32_t kept = (1u << bits) - 1;
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(got[i], randomly(f, bits, x[i], random[i] >> 16 & kept, relu, sat) << 16 |
                              randomly(f, bits, y[i], random[i] & kept, relu, sat))
            << text << " " << x[i] << " " << y[i] << " " << random[i];
    }
  }
}

TEST(ConvertScaled, RandomSubnormalHalvesFault) {
  auto run = [](const char* value) {
    return run_text(
        std::string(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param "
                    ".u64 out)\n{\n.reg .b64 %d;\n.reg .b32 %r;\n.reg .f32 %f;\nld.param.u64 %d, "
                    "[out];\nmov.f32 %f, ") +
            value + ";\ncvt.rs.f16x2.f32 %r, %f, %f, %r;\nst.global.b32 [%d], %r;\nret;\n}\n",
        1, threads(1));
  };
  EXPECT_EQ(run("0f33800000").faults(), "");  // 2^-24, the smallest subnormal: exact
  const Ran r = run("0f33C00000");            // 1.5 times that
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUncovered);
}

}  // namespace
}  // namespace pitot::emulator::test
