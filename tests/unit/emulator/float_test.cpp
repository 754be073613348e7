// Arithmetic of f32, f32x2 and f64 against the host in all rounding directions, and the rules for
// special values.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

#include "float_test_util.h"

namespace pitot::emulator::test {
namespace {

constexpr int kHostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
constexpr const char* kModes[] = {"rn", "rz", "rm", "rp"};

// The host's result in a rounding direction; volatile keeps the compiler from computing it itself.
template <class T>
T on_host(int mode, T a, T b, T c, const std::function<T(T, T, T)>& f) {
  volatile T x = a, y = b, z = c;
  std::fesetround(mode);
  volatile T r = f(x, y, z);
  std::fesetround(FE_TONEAREST);
  return r;
}

float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

uint32_t expected32(float r, bool ftz, bool sat) {
  if (ftz) r = flushed(r);
  if (sat) r = r > 0 ? std::fmin(r, 1.0f) : 0.0f;  // NaN and −0 become +0
  return std::isnan(r) ? 0x7fffffff : std::bit_cast<uint32_t>(r);
}

struct Operation {
  const char* name;
  unsigned operands;
  bool sat;
  std::function<float(float, float, float)> f32;
  std::function<double(double, double, double)> f64;
};
const Operation kOperations[] = {
    {"add", 2, true, [](float a, float b, float) { return a + b; },
     [](double a, double b, double) { return a + b; }},
    {"sub", 2, true, [](float a, float b, float) { return a - b; },
     [](double a, double b, double) { return a - b; }},
    {"mul", 2, true, [](float a, float b, float) { return a * b; },
     [](double a, double b, double) { return a * b; }},
    {"fma", 3, true, [](float a, float b, float c) { return std::fma(a, b, c); },
     [](double a, double b, double c) { return std::fma(a, b, c); }},
    {"mad", 3, true, [](float a, float b, float c) { return std::fma(a, b, c); },
     [](double a, double b, double c) { return std::fma(a, b, c); }},
    {"div", 2, false, [](float a, float b, float) { return a / b; },
     [](double a, double b, double) { return a / b; }},
    {"rcp", 1, false, [](float a, float, float) { return 1 / a; },
     [](double a, double, double) { return 1 / a; }},
    {"sqrt", 1, false, [](float a, float, float) { return std::sqrt(a); },
     [](double a, double, double) { return std::sqrt(a); }},
};

std::string modified(const Operation& o, const char* mode, bool ftz, bool sat, const char* type) {
  return std::string(o.name) + "." + mode + (ftz ? ".ftz" : "") + (sat ? ".sat" : "") + "." + type;
}

TEST(Float, F32AgreesWithTheHostInEveryDirection) {
  const auto a = samples32(1), b = samples32(2), c = samples32(3);
  for (const Operation& o : kOperations)
    for (int mode = 0; mode < 4; ++mode)
      for (int flags = 0; flags < (o.sat ? 4 : 2); ++flags) {
        const bool ftz = flags & 1, sat = flags & 2;
        const std::string name = modified(o, kModes[mode], ftz, sat, "f32");
        const auto got = map32(name, o.operands, a, b, c);
        ASSERT_EQ(got.size(), a.size());
        for (size_t i = 0; i < a.size(); ++i) {
          auto in = [&](uint32_t v) {
            const float x = std::bit_cast<float>(v);
            return ftz ? flushed(x) : x;
          };
          const float r = on_host<float>(kHostModes[mode], in(a[i]), in(b[i]), in(c[i]), o.f32);
          ASSERT_EQ(got[i], expected32(r, ftz, sat))
              << name << " of " << std::hex << a[i] << ", " << b[i] << ", " << c[i];
        }
      }
}

TEST(Float, F64AgreesWithTheHostInEveryDirection) {
  const auto a = samples64(1), b = samples64(2), c = samples64(3);
  for (const Operation& o : kOperations)
    for (int mode = 0; mode < 4; ++mode) {
      const std::string name = modified(o, kModes[mode], false, false, "f64");
      const auto got = map64(name, o.operands, a, b, c);
      for (size_t i = 0; i < a.size(); ++i) {
        const double r =
            on_host<double>(kHostModes[mode], std::bit_cast<double>(a[i]),
                            std::bit_cast<double>(b[i]), std::bit_cast<double>(c[i]), o.f64);
        const auto g = std::bit_cast<double>(got[i]);
        if (std::isnan(r)) {
          ASSERT_TRUE(std::isnan(g)) << name;
        } else {
          ASSERT_EQ(got[i], std::bit_cast<uint64_t>(r))
              << name << " of " << std::hex << a[i] << ", " << b[i] << ", " << c[i];
        }
      }
    }
}

TEST(Float, NansOfF64KeepTheFirstPayload) {
  const std::vector<uint64_t> a = {0x7ff0000000000000, 0x7ff4000000000123, 0x3ff0000000000000};
  const std::vector<uint64_t> b = {0xfff0000000000000, 0xfff8000000000007, 0xfff8000000000007};
  EXPECT_EQ(map64("add.rn.f64", 2, a, b, b),
            (std::vector<uint64_t>{0xfff8000000000000, 0x7ffc000000000123, 0xfff8000000000007}));
}

TEST(Float, PairsOfF32) {
  const auto a = samples32(4), b = samples32(5), c = samples32(6);
  for (const Operation& o : kOperations) {
    if (o.operands < 2 || !o.sat || std::string(o.name) == "mad") continue;
    for (int mode = 0; mode < 4; ++mode)
      for (int ftz = 0; ftz < 2; ++ftz) {
        const auto got = map64(modified(o, kModes[mode], ftz != 0, false, "f32x2"), o.operands,
                               pairs(a), pairs(b), pairs(c), "9.0", "sm_100");
        EXPECT_EQ(got, pairs(map32(modified(o, kModes[mode], ftz != 0, false, "f32"), o.operands, a,
                                   b, c)));
      }
  }
}

}  // namespace
}  // namespace pitot::emulator::test
