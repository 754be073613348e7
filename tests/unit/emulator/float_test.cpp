// Arithmetic of f32, f32x2 and f64 against the host in all rounding directions, and the rules for
// special values.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>

#include "float_test_util.h"

namespace pitot::emulator::test::float_test {
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
          float r = on_host<float>(kHostModes[mode], in(a[i]), in(b[i]), in(c[i]), o.f32);
          // Products that would be too small were there no limit to exponents are flushed (an
          // H200).
          const bool product = o.name[0] == 'm' || o.name[0] == 'f';
          if (ftz && product && std::fabs(r) == 0x1p-126f &&
              std::fabs(o.f64(in(a[i]), in(b[i]), in(c[i]))) <
                  (mode == 0 ? 0x1p-126 - 0x1p-151 : std::nextafter(0x1p-126 - 0x1p-150, 1)))
            r = std::copysign(0.0f, r);
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

TEST(Float, NansOfF64KeepTheSecondPayload) {  // as on an H200
  const std::vector<uint64_t> a = {0x7ff0000000000000, 0x7ff4000000000123, 0x3ff0000000000000};
  const std::vector<uint64_t> b = {0xfff0000000000000, 0xfff8000000000007, 0xfff8000000000007};
  EXPECT_EQ(map64("add.rn.f64", 2, a, b, b),
            (std::vector<uint64_t>{0xfff8000000000000, 0xfff8000000000007, 0xfff8000000000007}));
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

uint32_t extreme(bool maximum, bool nan_wins, uint32_t a, uint32_t b) {
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (std::isnan(x) && std::isnan(y)) return 0x7fffffff;
  if (nan_wins && (std::isnan(x) || std::isnan(y))) return 0x7fffffff;
  if (std::isnan(x)) return b;
  if (std::isnan(y)) return a;
  if (x == y) return maximum ? a & b : a | b;  // zeros of either sign
  return (x < y) != maximum ? a : b;
}

TEST(Float, MinimumAndMaximum) {
  const auto a = samples32(7), b = samples32(8), c = samples32(9);
  for (const char* name : {"min", "max"})
    for (bool ftz : {false, true})
      for (bool nan : {false, true}) {
        const bool maximum = name[1] == 'a';
        auto in = [&](uint32_t v) {
          return ftz ? std::bit_cast<uint32_t>(std::isnan(std::bit_cast<float>(v))
                                                   ? std::bit_cast<float>(v)
                                                   : flushed(std::bit_cast<float>(v)))
                     : v;
        };
        auto magnitude = [&](uint32_t v) { return in(v)&0x7fffffff; };
        const std::string head = std::string(name) + (ftz ? ".ftz" : "") + (nan ? ".NaN" : "");
        const auto two = map32(head + ".f32", 2, a, b, c);
        const auto sign = map32(head + ".xorsign.abs.f32", 2, a, b, c);
        const auto three = map32(head + ".f32", 3, a, b, c, "9.0", "sm_100");
        const auto three_abs = map32(head + ".abs.f32", 3, a, b, c, "9.0", "sm_100");
        for (size_t i = 0; i < a.size(); ++i) {
          ASSERT_EQ(two[i], extreme(maximum, nan, in(a[i]), in(b[i])))
              << head << std::hex << " " << a[i] << " " << b[i];
          const uint32_t m = extreme(maximum, nan, magnitude(a[i]), magnitude(b[i]));
          ASSERT_EQ(sign[i], m == 0x7fffffff ? m : m | ((a[i] ^ b[i]) & 0x80000000)) << head;
          ASSERT_EQ(three[i],
                    extreme(maximum, nan, extreme(maximum, nan, in(a[i]), in(b[i])), in(c[i])));
          ASSERT_EQ(three_abs[i], extreme(maximum, nan, m, magnitude(c[i])));
        }
      }
  const auto x = samples64(7), y = samples64(8);
  const auto low = map64("min.f64", 2, x, y, y), high = map64("max.f64", 2, x, y, y);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto u = std::bit_cast<double>(x[i]), v = std::bit_cast<double>(y[i]);
    if (std::isnan(u) && std::isnan(v)) {
      ASSERT_TRUE(std::isnan(std::bit_cast<double>(low[i])));
    } else if (std::isnan(u) || std::isnan(v)) {
      ASSERT_EQ(low[i], std::isnan(u) ? y[i] : x[i]);
      ASSERT_EQ(high[i], std::isnan(u) ? y[i] : x[i]);
    } else {
      ASSERT_EQ(low[i], u == v ? x[i] | y[i] : u < v ? x[i] : y[i]);
      ASSERT_EQ(high[i], u == v ? x[i] & y[i] : u < v ? y[i] : x[i]);
    }
  }
}

TEST(Float, SignsAndClasses) {
  const auto a = samples32(10), b = samples32(11);
  const auto x = samples64(10), y = samples64(11);
  const auto abs = map32("abs.f32", 1, a, b, b), neg = map32("neg.f32", 1, a, b, b);
  const auto abs_ftz = map32("abs.ftz.f32", 1, a, b, b), neg_ftz = map32("neg.ftz.f32", 1, a, b, b);
  const auto copied = map32("copysign.f32", 2, a, b, b);
  const auto abs64 = map64("abs.f64", 1, x, y, y), neg64 = map64("neg.f64", 1, x, y, y),
             copied64 = map64("copysign.f64", 2, x, y, y);
  for (size_t i = 0; i < a.size(); ++i) {
    const uint32_t f = (a[i] & 0x7f800000) == 0 ? a[i] & 0x80000000 : a[i];
    // A NaN becomes the canonical one; of f64 it keeps its sign and is made quiet (an H200).
    const bool nan = (a[i] & 0x7fffffff) > 0x7f800000;
    const bool nan64 = (x[i] & INT64_MAX) > 0x7ff0000000000000;
    const uint64_t quiet = x[i] | 0x0008000000000000;
    ASSERT_EQ(abs[i], nan ? 0x7fffffff : a[i] & 0x7fffffff);
    ASSERT_EQ(neg[i], nan ? 0x7fffffff : a[i] ^ 0x80000000);
    ASSERT_EQ(abs_ftz[i], nan ? 0x7fffffff : f & 0x7fffffff);
    ASSERT_EQ(neg_ftz[i], nan ? 0x7fffffff : f ^ 0x80000000);
    ASSERT_EQ(copied[i], (a[i] & 0x80000000) | (b[i] & 0x7fffffff));
    ASSERT_EQ(abs64[i], nan64 ? quiet : x[i] & INT64_MAX);
    ASSERT_EQ(neg64[i], nan64 ? quiet : x[i] ^ (1ull << 63));
    ASSERT_EQ(copied64[i], (x[i] & (1ull << 63)) | (y[i] & INT64_MAX));
  }
  struct Row {
    const char* name;
    std::function<bool(int)> of;  // from std::fpclassify
  };
  const Row rows[] = {{"finite", [](int k) { return k != FP_NAN && k != FP_INFINITE; }},
                      {"infinite", [](int k) { return k == FP_INFINITE; }},
                      {"number", [](int k) { return k != FP_NAN; }},
                      {"notanumber", [](int k) { return k == FP_NAN; }},
                      {"normal", [](int k) { return k == FP_NORMAL || k == FP_ZERO; }},
                      {"subnormal", [](int k) { return k == FP_SUBNORMAL; }}};
  for (const Row& r : rows) {
    const auto p = values_of<uint32_t>(map_values(std::string("testp.") + r.name + ".f32 %d, %a;",
                                                  kPredicate, {kWord}, {bytes_of(a)}, a.size()));
    const auto q = values_of<uint32_t>(map_values(std::string("testp.") + r.name + ".f64 %d, %a;",
                                                  kPredicate, {kDouble}, {bytes_of(x)}, x.size()));
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(p[i], r.of(std::fpclassify(std::bit_cast<float>(a[i])))) << r.name;
      ASSERT_EQ(q[i], r.of(std::fpclassify(std::bit_cast<double>(x[i])))) << r.name;
    }
  }
}

// What does not change a result must not depend on the version of the kernels.
TEST(Float, MachinesWithoutAvx2GetTheSameResults) {
  if (std::getenv("PITOT_PLAIN_KERNELS") != nullptr) GTEST_SKIP() << "this is the inner run";
  char self[4096];
  const auto n = readlink("/proc/self/exe", self, sizeof self - 1);
  ASSERT_GT(n, 0);
  const std::string run =
      "PITOT_PLAIN_KERNELS=1 '" + std::string(self, static_cast<size_t>(n)) +
      "' --gtest_brief=1 --gtest_filter='Float.*:Convert.*:Half.*:Sfu.*' > /dev/null";
  EXPECT_EQ(std::system(run.c_str()), 0);
}

}  // namespace
}  // namespace pitot::emulator::test::float_test
