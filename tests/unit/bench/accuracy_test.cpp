// Errors in units of rounding, NaN and infinities, elements that nobody wrote.
#include "bench/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "device/values.h"

namespace pitot::bench {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::byte> floats(std::vector<float> v) {
  std::vector<std::byte> out(v.size() * 4);
  std::memcpy(out.data(), v.data(), out.size());
  return out;
}

ExpectedOutput expected(std::vector<double> exact, std::vector<float> start) {
  ExpectedOutput e;
  e.name = "y";
  e.type = ptx::Type::kF32;
  for (double v : exact) e.scale.push_back(std::fabs(v));
  e.exact = std::move(exact);
  e.start = floats(std::move(start));
  return e;
}

OutputJudgement judge(const ExpectedOutput& e, std::vector<float> got) {
  return judge_output(e, floats(std::move(got)), ptx::Type::kF32, model_limits(1, 1), {});
}

TEST(Accuracy, UnitsOfRounding) {
  EXPECT_EQ(unit_roundoff(ptx::Type::kF32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(ptx::Type::kF64), 0x1p-53);
  EXPECT_EQ(unit_roundoff(ptx::Type::kBf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(ptx::Type::kF16), 0x1p-11);
  const auto e = expected({1, 3}, {1, 3});
  EXPECT_EQ(judge(e, {1, 3}).errors.worst, 0);
  // One unit in the last place of 1 is two roundings.
  EXPECT_DOUBLE_EQ(judge(e, {1 + 0x1p-23f, 3}).errors.worst, 2);
  EXPECT_EQ(judge(e, {1 + 0x1p-23f, 3}).wrong, Wrong::kNothing);
  const auto bad = judge(e, {1 + 0x1p-22f, 3});
  EXPECT_EQ(bad.wrong, Wrong::kValue);
  EXPECT_EQ(bad.index, 0u);
  EXPECT_EQ(bad.differing, 1u);
  EXPECT_DOUBLE_EQ(bad.units, 4);
}

// A sum of 1024 terms in f32, rounded to f16: the sum's errors are nothing beside a unit of f16.
TEST(Accuracy, ACoarseOutputDoesNotAllowForCoarseSums) {
  ExpectedOutput e;
  e.type = ptx::Type::kF16;
  e.exact = {1};
  e.scale = {1};
  e.start = {std::byte{0x00}, std::byte{0x3c}};
  const ErrorLimits limits = model_limits(1024, 2);
  const auto judged = [&](unsigned last, ptx::Type arithmetic) {
    const std::byte got[] = {static_cast<std::byte>(last), std::byte{0x3c}};
    return judge_output(e, got, arithmetic, limits, {});
  };
  EXPECT_EQ(judged(1, ptx::Type::kF32).wrong, Wrong::kNothing);  // two units
  EXPECT_EQ(judged(2, ptx::Type::kF32).wrong, Wrong::kValue);
  EXPECT_EQ(judged(2, ptx::Type::kF16).wrong, Wrong::kNothing);  // summed in f16
  EXPECT_NEAR(judged(1, ptx::Type::kF32).errors.explained_rms(), 0.45, 0.01);
  EXPECT_DOUBLE_EQ(judged(1, ptx::Type::kF16).errors.explained_rms(), limits.rms);
  // Where terms cancel it is the sum that explains.
  e.scale = {4096};
  EXPECT_EQ(judged(40, ptx::Type::kF32).wrong, Wrong::kNothing);
}

TEST(Accuracy, ScaleWhereTermsCancel) {
  auto e = expected({1e-9}, {0});
  e.scale = {1};
  EXPECT_EQ(judge(e, {0}).wrong, Wrong::kNothing);  // 1e-9 is nothing beside terms of 1
  e.scale = {1e-9};
  EXPECT_EQ(judge(e, {0}).wrong, Wrong::kValue);
}

TEST(Accuracy, ClassesOfValues) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const auto e = expected({1, kNan, kInf, -kInf, 1e300}, {1, nan, inf, -inf, inf});
  EXPECT_EQ(judge(e, {1, nan, inf, -inf, inf}).wrong, Wrong::kNothing);
  EXPECT_EQ(judge(e, {nan, nan, inf, -inf, inf}).wrong, Wrong::kNan);
  EXPECT_EQ(judge(e, {1, 0, inf, -inf, inf}).wrong, Wrong::kNotNan);
  EXPECT_EQ(judge(e, {1, nan, -inf, -inf, inf}).wrong, Wrong::kInfinity);
  EXPECT_EQ(judge(e, {1, nan, 3e38f, -inf, inf}).wrong, Wrong::kInfinity);
  EXPECT_EQ(judge(e, {1, nan, inf, -inf, 3.4028235e38f}).wrong, Wrong::kNothing);
  EXPECT_EQ(judge(e, {1, nan, inf, -inf, 1}).wrong, Wrong::kValue);
  // What the start kernel has is allowed too: a maximum that passes over NaN.
  EXPECT_EQ(judge(expected({kNan}, {2}), {2}).wrong, Wrong::kNothing);
  EXPECT_EQ(judge(expected({kNan}, {2}), {3}).wrong, Wrong::kNotNan);
}

TEST(Accuracy, NobodyWroteIt) {
  float poison = 0;
  std::memset(&poison, static_cast<int>(device::kPoison), 4);
  EXPECT_EQ(judge(expected({1, 1}, {1, 1}), {1, poison}).wrong, Wrong::kUnwritten);
}

TEST(Accuracy, IntegersAreExact) {
  ExpectedOutput e;
  e.type = ptx::Type::kS32;
  e.start.resize(8);
  std::vector<std::byte> got(8);
  EXPECT_EQ(judge_output(e, got, ptx::Type::kNone, {}, {}).wrong, Wrong::kNothing);
  got[5] = std::byte{1};
  const auto j = judge_output(e, got, ptx::Type::kNone, {}, {});
  EXPECT_EQ(j.wrong, Wrong::kValue);
  EXPECT_EQ(j.index, 1u);
  EXPECT_EQ(j.got, 256);
}

TEST(Accuracy, StartKernelsErrorsAreAllowedFourTimes) {
  const auto e = expected({1}, {1 + 0x1p-20f});  // 16 roundings off
  const OutputJudgement start = judge_start(e, ptx::Type::kF32);
  EXPECT_DOUBLE_EQ(start.errors.worst, 16);
  const auto got = [&](float v) {
    return judge_output(e, floats({v}), ptx::Type::kF32, model_limits(1, 1), start.errors).wrong;
  };
  EXPECT_EQ(got(1 + 0x1p-18f), Wrong::kNothing);
  EXPECT_EQ(got(1 + 0x1.2p-18f), Wrong::kValue);
}

}  // namespace
}  // namespace pitot::bench
