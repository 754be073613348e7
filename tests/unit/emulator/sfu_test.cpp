// The approximate functions: special values as the ISA's tables have them, and the documented error
// over sampled f32 and every half.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "float_test_util.h"
#include "format_reference.h"

namespace pitot::emulator::test::sfu_test {
namespace {

constexpr uint32_t kInf = 0x7f800000, kNegInf = 0xff800000, kNan = 0x7fffffff,
                   kNegZero = 0x80000000;
constexpr uint32_t kOne = 0x3f800000, kSub = 0x00000010, kNegSub = 0x80000010;

// −inf, −1, −subnormal, −0, +0, +subnormal, 1, +inf, NaN
const std::vector<uint32_t> kInputs = {kNegInf, 0xbf800000, kNegSub, kNegZero,  0,
                                       kSub,    kOne,       kInf,    0x7fc00001};

TEST(Sfu, SpecialValues) {
  struct Row {
    const char* name;
    std::vector<uint32_t> want;  // with .ftz
  };
  const Row rows[] = {
      {"rcp", {kNegZero, 0xbf800000, kNegInf, kNegInf, kInf, kInf, kOne, 0, kNan}},
      {"sqrt", {kNan, kNan, kNegZero, kNegZero, 0, 0, kOne, kInf, kNan}},
      {"rsqrt", {kNan, kNan, kNegInf, kNegInf, kInf, kInf, kOne, 0, kNan}},
      {"lg2", {kNan, kNan, kNegInf, kNegInf, kNegInf, kNegInf, 0, kInf, kNan}},
      {"ex2", {0, 0x3f000000, kOne, kOne, kOne, kOne, 0x40000000, kInf, kNan}},
  };
  for (const Row& r : rows)
    EXPECT_EQ(map32(std::string(r.name) + ".approx.ftz.f32", 1, kInputs, {}, {}), r.want) << r.name;
  const auto sin = map32("sin.approx.ftz.f32", 1, kInputs, {}, {});
  const auto cos = map32("cos.approx.ftz.f32", 1, kInputs, {}, {});
  const auto tanh = map32("tanh.approx.f32", 1, kInputs, {}, {});
  for (size_t i : {0, 7, 8}) {
    EXPECT_EQ(sin[i], kNan);
    EXPECT_EQ(cos[i], kNan);
  }
  const uint32_t zeros[] = {kNegZero, kNegZero, 0, 0};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sin[2 + i], zeros[i]);
    EXPECT_EQ(cos[2 + i], kOne);
  }
  EXPECT_EQ(tanh[0], 0xbf800000u);
  EXPECT_EQ(tanh[7], kOne);
  EXPECT_EQ(tanh[8], kNan);
  EXPECT_EQ(tanh[3], kNegZero);
  EXPECT_EQ(tanh[5], kSub);
  // Without .ftz subnormals count.
  const std::vector<uint32_t> subs = {kSub, 0x00400000, 0x80400000};
  EXPECT_EQ(map32("rcp.approx.f32", 1, subs, {}, {}),
            (std::vector<uint32_t>{kInf, 0x7f000000, 0xff000000}));
  EXPECT_EQ(map32("lg2.approx.f32", 1, {kSub}, {}, {})[0], std::bit_cast<uint32_t>(-145.0f));
  EXPECT_EQ(map32("sqrt.approx.f32", 1, {0x00200000}, {}, {})[0],
            std::bit_cast<uint32_t>(0x1p-64f));
}

TEST(Sfu, DivisionsOfHugeAndSmallDivisors) {
  const std::vector<uint32_t> a = {kOne, 0xbf800000, kInf, 0x7f000000, kOne, 0x7fc00000, kOne},
                              b = {0x7f000001, 0x7f000001, 0x7f000001, 0x7e800000, 0, kOne, kSub};
  EXPECT_EQ(map32("div.approx.f32", 2, a, b, b),
            (std::vector<uint32_t>{0, kNegZero, kNan, 0x40000000, kInf, kNan, kInf}));
  EXPECT_EQ(map32("div.full.f32", 2, {kOne}, {0x7f000001}, {})[0],
            std::bit_cast<uint32_t>(1.0f / 0x1.000002p127f));
}

double ulp(float v) {
  return std::ldexp(1.0, std::max(std::ilogb(v == 0 ? 0x1p-149f : v), -126) - 23);
}

TEST(Sfu, ErrorsAreWithinTheDocumentedOnes) {
  struct Row {
    const char* name;
    std::function<double(double)> f;
    std::function<double(double)> bound;  // of the error, from the result
    bool (*covers)(double);
  };
  auto any = [](double) { return true; };
  const Row rows[] = {
      {"rcp.approx.f32", [](double x) { return 1 / x; },
       [](double r) { return ulp(static_cast<float>(r)); }, any},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); },
       [](double r) { return r * std::exp2(-22.9); }, [](double x) { return x > 0; }},
      {"sqrt.approx.f32", [](double x) { return std::sqrt(x); },
       [](double r) { return std::max(r * 0x1p-23, 0x1p-149); }, [](double x) { return x > 0; }},
      {"sin.approx.f32", [](double x) { return std::sin(x); },
       [](double) { return std::exp2(-20.5); }, [](double x) { return std::fabs(x) <= M_PI; }},
      {"cos.approx.f32", [](double x) { return std::cos(x); },
       [](double) { return std::exp2(-20.5); }, [](double x) { return std::fabs(x) <= M_PI; }},
      {"lg2.approx.f32", [](double x) { return std::log2(x); },
       [](double r) { return std::max(std::fabs(r), 1.0) * 0x1p-22; },
       [](double x) { return x > 0; }},
      {"ex2.approx.f32", [](double x) { return std::exp2(x); },
       [](double r) { return 2 * ulp(static_cast<float>(r)); },
       [](double x) { return std::fabs(x) < 126; }},
      {"tanh.approx.f32", [](double x) { return std::tanh(x); },
       [](double r) { return std::fabs(r) * 0x1p-11; }, any},
  };
  auto in = samples32(71, 8192);
  for (int i = 0; i < 4096; ++i)
    in.push_back(std::bit_cast<uint32_t>(static_cast<float>(i - 2048) / 16.0f));
  for (const Row& r : rows) {
    const auto got = map32(r.name, 1, in, {}, {});
    size_t checked = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const double x = std::bit_cast<float>(in[i]);
      if (!std::isfinite(x) || !r.covers(x)) continue;
      const double want = r.f(x), g = std::bit_cast<float>(got[i]);
      if (!std::isfinite(static_cast<float>(want))) {
        ASSERT_EQ(g, static_cast<float>(want)) << r.name << " of " << x;
        continue;
      }
      ++checked;
      ASSERT_LE(std::fabs(g - want), r.bound(want)) << r.name << " of " << x;
    }
    EXPECT_GT(checked, 1000u) << r.name;
  }
}

TEST(Sfu, EveryHalf) {
  std::vector<uint16_t> in;
  for (uint32_t i = 0; i < 65536; ++i) in.push_back(static_cast<uint16_t>(i));
  std::vector<uint32_t> twice;
  for (uint32_t i = 0; i < 65536; ++i) twice.push_back(i << 16 | (i ^ 0x5555));
  struct Row {
    const char* name;
    const ReferenceFormat* format;
    bool ex2, ftz;
  };
  for (const Row& r : {Row{"tanh.approx.f16", &reference_f16(), false, false},
                       Row{"tanh.approx.bf16", &reference_bf16(), false, false},
                       Row{"ex2.approx.f16", &reference_f16(), true, false},
                       Row{"ex2.approx.ftz.bf16", &reference_bf16(), true, true}}) {
    const auto got = map_same<uint16_t>(r.name, kHalf, 1, in, in, in, "9.0", "sm_90");
    const auto both = map32(std::string(r.name) + "x2", 1, twice, {}, {});
    for (uint32_t i = 0; i < 65536; ++i) {
      const long double x = r.format->decode(i);
      const long double v = r.ex2 ? std::exp2(x) : std::tanh(x);
      uint32_t want = r.format->encode(v, Mode::kRn);
      if (r.ftz && (want & 0x7f80) == 0) want &= 0x8000;
      ASSERT_EQ(got[i], want) << r.name << " " << i;
      ASSERT_EQ(both[i], uint32_t{got[i]} << 16 | got[i ^ 0x5555]) << r.name;
    }
  }
}

TEST(Sfu, GrossReciprocalsOfF64) {
  const std::vector<uint64_t> in = {0x4000000000000000, 0x4010000012345678, 0,
                                    0x8000000000000001, 0x7ff0000000000000, 0xfff0000000000000,
                                    0x7fe8000000000000};
  EXPECT_EQ(map64("rcp.approx.ftz.f64", 1, in, {}, {}),
            (std::vector<uint64_t>{0x3fe0000000000000, 0x3fd0000000000000, 0x7ff0000000000000,
                                   0xfff0000000000000, 0, 0x8000000000000000, 0}));
  EXPECT_EQ(map64("rsqrt.approx.ftz.f64", 1, {0x4010000012345678, 0x8000000000000000}, {}, {}),
            (std::vector<uint64_t>{0x3fe0000000000000, 0xfff0000000000000}));
  EXPECT_EQ(map64("rsqrt.approx.f64", 1, {0x4010000000000000, 0xbff0000000000000}, {}, {}),
            (std::vector<uint64_t>{0x3fe0000000000000, 0xfff8000000000000}));
}

}  // namespace
}  // namespace pitot::emulator::test::sfu_test
