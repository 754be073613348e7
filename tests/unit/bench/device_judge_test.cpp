// What a GPU's times become: the best known at each size, speed-ups and their intervals. The
// emulator runs the kernels here, and a table times them.
#include "bench/device_judge.h"

#include <cmath>
#include <map>
#include <set>

#include "device/prepare.h"
#include "judge_test_util.h"

namespace pitot::bench::test {
namespace {

class DeviceJudgeTest : public testing::Test {
 protected:
  void SetUp() override {
    task_.timed.resize(1);
    task_.timed[0].values = {{"rows", 3}, {"cols", 65}};
    options_.run = run_on_emulator;
    options_.name = "GPU";
    options_.time = [this](const Candidate& a, const Candidate& b, const device::SizeSpec&,
                           bool cold, uint64_t) -> Result<DeviceTiming> {
      ++timings_;
      const double us = us_.at(&a) * (cold ? 2 : 1), other = us_.at(&b) * (cold ? 2 : 1);
      return DeviceTiming{us, other, other / us, other / us / 1.03, other / us * 1.04};
    };
    auto start = load_start(task_);
    ASSERT_TRUE(start.ok());
    candidate_ = std::make_unique<Candidate>(std::move(*start));
    auto baseline = load_start(task_);
    ASSERT_TRUE(baseline.ok());
    baseline_ = std::make_unique<Candidate>(std::move(*baseline));
  }

  // Of a candidate that takes 10 us.
  Judgement judge(double start_us, double baseline_us, bool has_baseline = true) {
    Judgement out;
    out.tier = Tier::kRight;
    out.verdict = Verdict::kRight;
    auto judge = DeviceJudge::make(task_, has_baseline ? baseline_.get() : nullptr, options_);
    EXPECT_TRUE(judge.ok());
    if (!judge) return out;
    us_ = {{candidate_.get(), 10}, {baseline_.get(), baseline_us}, {&judge->start(), start_us}};
    const Status s = judge->judge(*candidate_, out);
    EXPECT_TRUE(s.ok()) << (s ? "" : s.error().message);
    return out;
  }

  Bench bench_{"row_sum", 1};
  Task task_ = bench_.task();
  DeviceOptions options_;
  std::unique_ptr<Candidate> candidate_, baseline_;
  std::map<const Candidate*, double> us_;
  int timings_ = 0;
};

TEST_F(DeviceJudgeTest, WithoutABaselineTheStartKernelIsTheBestKnown) {
  const Judgement j = judge(20, 0, false);
  EXPECT_EQ(j.tier, Tier::kTimed) << j.reason;
  ASSERT_EQ(j.timings.size(), 1u);
  const Timing& t = j.timings[0];
  EXPECT_EQ(timings_, 1);
  EXPECT_DOUBLE_EQ(t.speedup, 2);
  EXPECT_DOUBLE_EQ(t.over_start, 2);
  EXPECT_DOUBLE_EQ(t.over_start_low, t.low);
  EXPECT_DOUBLE_EQ(t.over_start_high, t.high);
  EXPECT_DOUBLE_EQ(t.start_us, 20);
  EXPECT_DOUBLE_EQ(j.speedup, 2);
}

TEST_F(DeviceJudgeTest, ASlowerBaselineIsNotTheBestKnown) {
  const Judgement j = judge(20, 25);
  ASSERT_EQ(j.timings.size(), 1u);
  EXPECT_EQ(timings_, 2);
  EXPECT_DOUBLE_EQ(j.timings[0].baseline_us, 20);
  EXPECT_DOUBLE_EQ(j.timings[0].speedup, 2);
  EXPECT_DOUBLE_EQ(j.timings[0].over_start_low, j.timings[0].low);
}

TEST_F(DeviceJudgeTest, OverTheStartKernelByWayOfAFasterBaseline) {
  options_.cold = true;
  const Judgement j = judge(20, 5);
  ASSERT_EQ(j.timings.size(), 2u);
  EXPECT_EQ(timings_, 4);  // baseline beside start and candidate beside it, warm and cold
  EXPECT_EQ(j.timings[0].cache, "warm");
  EXPECT_EQ(j.timings[1].cache, "cold");
  EXPECT_DOUBLE_EQ(j.timings[1].candidate_us, 20);
  for (const Timing& t : j.timings) {
    EXPECT_DOUBLE_EQ(t.speedup, 0.5);
    EXPECT_DOUBLE_EQ(t.over_start, 2);
    // Half widths of both in quadrature, in logarithms.
    EXPECT_NEAR(std::log(2 / t.over_start_low), std::sqrt(2.0) * std::log(1.03), 1e-12);
    EXPECT_NEAR(std::log(t.over_start_high / 2), std::sqrt(2.0) * std::log(1.04), 1e-12);
  }
  EXPECT_DOUBLE_EQ(j.speedup, 0.5);  // warm ones only
}

TEST_F(DeviceJudgeTest, WhatIsWrongThereIsNotTimed) {
  options_.run = [this](const Candidate& c, const device::KernelSpec& spec,
                        const device::SizeSpec& size, uint64_t seed) {
    auto r = run_on_emulator(c, spec, size, seed);
    if (&c == candidate_.get()) r->outputs[0].bytes[5] ^= std::byte{0x40};
    return r;
  };
  const Judgement j = judge(20, 5);
  EXPECT_EQ(j.verdict, Verdict::kWrong);
  EXPECT_THAT(j.reason, testing::HasSubstr("on GPU at cols=65 rows=3: y[1]"));
  EXPECT_EQ(timings_, 0);
}

TEST_F(DeviceJudgeTest, PrivateSizesAndOtherDataRunThereToo) {
  task_.accuracy.any_values = task_.accuracy.special = true;
  std::set<std::string> sizes;
  for (const char* wrong_for : {"another size", "NaN"}) {
    options_.run = [&, this](const Candidate& c, const device::KernelSpec& spec,
                             const device::SizeSpec& size, uint64_t seed) {
      auto r = run_on_emulator(c, spec, size, seed);
      if (&c != candidate_.get()) return r;
      sizes.insert(device::size_text(size));
      const bool special = spec.arguments[0].init.starts_with("special");
      const bool timed = size.values == task_.timed[0].values;
      if (std::string_view(wrong_for) == "NaN" ? special : !timed && !special)
        r->outputs[0].bytes[3] ^= std::byte{0x40};
      return r;
    };
    const Judgement j = judge(20, 5);
    EXPECT_EQ(j.verdict, Verdict::kWrong) << wrong_for;
    EXPECT_EQ(j.reason.find("cols=65 rows=3:"), std::string::npos) << j.reason;
    EXPECT_EQ(timings_, 0);
  }
  EXPECT_GE(sizes.size(), 3u);
}

TEST_F(DeviceJudgeTest, WhatCannotBeTimedIsRightAndSaysWhy) {
  options_.time = [](const Candidate&, const Candidate&, const device::SizeSpec&, bool,
                     uint64_t) -> Result<DeviceTiming> { return failed_error("the GPU is gone"); };
  const Judgement j = judge(20, 0, false);
  EXPECT_EQ(j.tier, Tier::kRight);
  EXPECT_TRUE(j.timings.empty());
  ASSERT_EQ(j.findings.size(), 1u);
  EXPECT_EQ(j.findings[0].message, "the GPU is gone");
}

}  // namespace
}  // namespace pitot::bench::test
