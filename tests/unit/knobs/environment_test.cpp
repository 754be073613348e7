#include "knobs/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knobs_tables.h"

namespace pitot::knobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TableReadings replay(SweepResult sweep = test::small_sweep()) {
  auto t = Table::of(std::move(sweep));
  EXPECT_TRUE(t.ok());
  return TableReadings(std::move(*t));
}

TEST(KnobEnvironment, ObservesWhatSpec4Lists) {
  SweepResult sweep = test::small_sweep();
  // gemm at 256 with block 256 and cap 0: the baseline.
  sweep.rows[4].counters = SweepCounters{true, "", "ncu", {50.0, 25.0, 200.0, std::nullopt}};
  TableReadings readings = replay(std::move(sweep));
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  EXPECT_EQ(env->observation_size(), 2u + 2 + 4 + 4);
  const auto first = env->reset(1, 0);
  ASSERT_TRUE(first.ok());
  // gemm; the baseline's indices 2 of 0…2 and 0 of 0…1; counters; no NVML in a replay.
  EXPECT_THAT(*first, ElementsAre(1, 0, 1, 0, 0.5f, 0.25f, 1, 0, 0, 0, 0, 0));
  const auto s = env->step(Choice{1, 1});
  ASSERT_TRUE(s.ok());
  EXPECT_THAT(s->observation, ElementsAre(1, 0, 0.5f, 1, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(KnobEnvironment, OfThePublishedSpaceHas13Or9Inputs) {
  SweepResult sweep;
  for (const char* kernel : {"gemm", "reduction", "softmax"})
    for (const int64_t block : {64, 128, 256})
      for (const int64_t cap : {0, 32, 64}) {
        SweepRow r;
        r.kernel = kernel;
        r.matrix_size = 256;
        r.settings = {block, cap};
        r.mean_ms = r.least_ms = r.most_ms = 1;
        sweep.rows.push_back(r);
      }
  TableReadings readings = replay(std::move(sweep));
  EXPECT_EQ(Environment::make(readings, {})->observation_size(), 13u);
  EnvironmentOptions without;
  without.states = false;
  EXPECT_EQ(Environment::make(readings, without)->observation_size(), 9u);
  without.sizes = true;
  auto env = Environment::make(readings, without);
  ASSERT_TRUE(env.ok());
  EXPECT_EQ(env->observation_size(), 10u);
  EXPECT_FLOAT_EQ(env->reset(1)->back(), 0.5f);  // log2(256) / 16
}

TEST(KnobEnvironment, RewardsSpeedupOverTheBaseline) {
  TableReadings readings = replay();
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  ASSERT_TRUE(env->reset(1, 0).ok());
  EXPECT_DOUBLE_EQ(env->baseline_ms(), 256.0 / 5);
  auto s = env->step(Choice{2, 1});
  ASSERT_TRUE(s.ok());
  EXPECT_DOUBLE_EQ(s->speedup, 1.2);
  EXPECT_NEAR(s->reward, 0.2, 1e-12);
  s = env->step(Choice{0, 0});
  EXPECT_NEAR(s->reward, 0.2 - 1, 1e-12);
}

TEST(KnobEnvironment, WhatDoesNotRunCostsAll) {
  TableReadings readings = replay();
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  ASSERT_TRUE(env->reset(1, 2).ok());
  const auto s = env->step(Choice{0, 1});
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->reward, -1);
  EXPECT_EQ(s->speedup, 0);
  EXPECT_EQ(s->reading.failure, "no registers");
  // block 64, 128, 256; cap 0, 32: each runs with another value of the other.
  EXPECT_THAT(env->mask(), ElementsAre(true, true, true, true, true));
}

TEST(KnobEnvironment, MasksValuesThatNeverRun) {
  SweepResult sweep = test::small_sweep();
  for (SweepRow& r : sweep.rows)
    if (r.settings[0] == 64 && r.kernel == "gemm") r.failure = "trap";
  TableReadings readings = replay(std::move(sweep));
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  ASSERT_TRUE(env->reset(1, 0).ok());
  EXPECT_THAT(env->mask(), ElementsAre(false, true, true, true, true));
  ASSERT_TRUE(env->reset(1, 2).ok());
  EXPECT_THAT(env->mask(), ElementsAre(true, true, true, true, true));
}

TEST(KnobEnvironment, EndsAfterItsSteps) {
  TableReadings readings = replay();
  EnvironmentOptions how;
  how.max_steps = 3;
  auto env = Environment::make(readings, how);
  ASSERT_TRUE(env.ok());
  ASSERT_TRUE(env->reset(1).ok());
  EXPECT_FALSE(env->step(Choice{0, 0})->truncated);
  EXPECT_FALSE(env->step(Choice{0, 0})->truncated);
  EXPECT_TRUE(env->step(Choice{0, 0})->truncated);
  ASSERT_TRUE(env->reset().ok());
  EXPECT_EQ(env->steps(), 0u);
}

TEST(KnobEnvironment, DrawsTheSameEpisodesFromTheSameSeed) {
  TableReadings readings = replay();
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  auto drawn = [&](uint64_t seed) {
    std::vector<size_t> out;
    EXPECT_TRUE(env->reset(seed).ok());
    for (int i = 0; i < 20; ++i) {
      out.push_back(env->number());
      EXPECT_TRUE(env->reset().ok());
    }
    return out;
  };
  const auto one = drawn(7);
  EXPECT_EQ(one, drawn(7));
  EXPECT_NE(one, drawn(8));
  for (size_t c = 0; c < 4; ++c) EXPECT_THAT(one, testing::Contains(c));
}

TEST(KnobEnvironment, DrawsOnlyFromTheCasesGiven) {
  TableReadings readings = replay();
  EnvironmentOptions how;
  how.cases = {1, 3};
  auto env = Environment::make(readings, how);
  ASSERT_TRUE(env.ok());
  ASSERT_TRUE(env->reset(3).ok());
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(readings.cases()[env->number()].matrix_size, 512);
    ASSERT_TRUE(env->reset().ok());
  }
}

TEST(KnobEnvironment, RefusesWhatCannotBe) {
  TableReadings readings = replay();
  EnvironmentOptions how;
  how.baseline = {96, 0};
  EXPECT_THAT(Environment::make(readings, how).error().message, HasSubstr("96, 0"));
  how = {};
  how.cases = {4};
  EXPECT_FALSE(Environment::make(readings, how).ok());
  how = {};
  how.max_steps = 0;
  EXPECT_FALSE(Environment::make(readings, how).ok());
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  EXPECT_FALSE(env->step(Choice{0, 0}).ok());
  ASSERT_TRUE(env->reset(1).ok());
  EXPECT_FALSE(env->step(Choice{0}).ok());
  EXPECT_THAT(env->step(Choice{0, 2}).error().message, HasSubstr("reg_cap has no value 2"));
  EXPECT_FALSE(env->reset(1, 9).ok());
}

TEST(KnobEnvironment, NeedsABaselineThatRuns) {
  SweepResult sweep = test::small_sweep();
  sweep.rows[4].failure = "out of registers";
  TableReadings readings = replay(std::move(sweep));
  auto env = Environment::make(readings, {});
  ASSERT_TRUE(env.ok());
  EXPECT_THAT(env->reset(1, 0).error().message, HasSubstr("out of registers"));
}

}  // namespace
}  // namespace pitot::knobs
