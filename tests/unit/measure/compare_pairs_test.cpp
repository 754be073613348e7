// Paired comparison on simulated timings: how often it errs, and how often it finds what is there.
#include <gtest/gtest.h>

#include <cmath>

#include "measure/statistics.h"
#include "simulated_timings.h"

namespace pitot::measure {
namespace {

constexpr size_t kPlacements = 8, kRounds = 10;

class ComparePairsWorld : public testing::TestWithParam<TimingWorld> {
 protected:
  struct Rates {
    double faster = 0, slower = 0, covered = 0, band = 0, least = 0;
  };
  // Shares of `runs` runs with a true change of `change`.
  Rates rates(double change, unsigned runs, uint64_t seed) const {
    Rates r;
    for (unsigned i = 0; i < runs; ++i) {
      const PairedResult result = compare_pairs(
          TimingSource(GetParam(), seed + i).pairs(change, kPlacements, kRounds), seed + i);
      r.faster += result.differs && result.change.value < 0;
      r.slower += result.differs && result.change.value > 0;
      r.covered += result.change.lo <= change && change <= result.change.hi;
      r.band += result.noise_band;
      r.least += result.least_detectable;
    }
    for (double* share : {&r.faster, &r.slower, &r.covered, &r.band, &r.least}) *share /= runs;
    return r;
  }
};

TEST_P(ComparePairsWorld, SameKernelIsSame) {
  const Rates r = rates(0, 200, 1000);
  EXPECT_LE(r.faster + r.slower, 0.025);  // nominal 1 %; 5 % is what is promised
  EXPECT_GE(r.covered, 0.93);
}

TEST_P(ComparePairsWorld, TwoPercentIsFound) {
  const Rates r = rates(0.02, 100, 5000);
  EXPECT_GE(r.slower, 0.97);
  EXPECT_EQ(r.faster, 0);
  EXPECT_GE(r.covered, 0.93);
}

TEST_P(ComparePairsWorld, LeastDetectableIsFoundMostly) {
  const double least = rates(0, 50, 9000).least;
  ASSERT_LT(least, 0.02);
  const double found = rates(least, 100, 20000).slower;
  EXPECT_GE(found, 0.6);
  // Not needlessly wide: half as much is mostly not found.
  EXPECT_LE(rates(least / 2, 100, 40000).slower, 0.5);
}

INSTANTIATE_TEST_SUITE_P(Worlds, ComparePairsWorld, testing::ValuesIn(timing_worlds()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ComparePairs, QuickClocksGiveAWideBandAndNoFalseAlarm) {
  const TimingWorld world{.name = "", .noise = 0.003, .second_clock = 0.08, .switching = 0.5};
  unsigned different = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    different += compare_pairs(TimingSource(world, seed).pairs(0, 8, 10), seed).differs;
  EXPECT_LE(different, 5u);
}

TEST(ComparePairs, AChangeBelowTheTimersStepIsNotTold) {
  const TimingWorld world{.name = "", .noise = 0.003, .tick = 0.001};
  unsigned small = 0, large = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    small += compare_pairs(TimingSource(world, seed).pairs(0.004, 8, 10), seed).differs;
    const PairedResult r = compare_pairs(TimingSource(world, seed).pairs(0.025, 8, 10), seed);
    large += r.differs;
    EXPECT_GE(r.noise_band, 0.0095);
  }
  EXPECT_EQ(small, 0u);
  EXPECT_EQ(large, 50u);
}

TEST(ComparePairs, WithoutNoiseEveryChangeCounts) {
  const PairedResult same = compare_pairs(TimingSource({.name = ""}, 1).pairs(0, 4, 5), 1);
  EXPECT_FALSE(same.differs);
  EXPECT_EQ(same.change.value, 0);
  EXPECT_EQ(same.noise_band, 0);
  const PairedResult slower = compare_pairs(TimingSource({.name = ""}, 1).pairs(1e-4, 4, 5), 1);
  EXPECT_TRUE(slower.differs);
  EXPECT_NEAR(slower.change.value, 1e-4, 1e-12);
}

TEST(ComparePairs, OnePlacementProvesNothing) {
  const PairedResult r =
      compare_pairs(TimingSource({.name = "", .noise = 0.001}, 3).pairs(0.5, 1, 100), 3);
  EXPECT_NEAR(r.change.value, 0.5, 0.01);
  EXPECT_FALSE(r.differs);
  EXPECT_TRUE(std::isinf(r.noise_band));
  EXPECT_TRUE(std::isinf(r.change.hi));
}

TEST(ComparePairs, SwappedSidesGiveTheOppositeChange) {
  Pairs pairs = TimingSource({.name = "", .noise = 0.01, .placement = 0.002}, 5).pairs(0.1, 8, 10);
  const PairedResult ab = compare_pairs(pairs, 7);
  for (auto& rounds : pairs.placements)
    for (auto& pair : rounds) std::swap(pair[0], pair[1]);
  const PairedResult ba = compare_pairs(pairs, 7);
  EXPECT_NEAR((1 + ab.change.value) * (1 + ba.change.value), 1, 1e-12);
  EXPECT_TRUE(ab.differs && ba.differs);
  EXPECT_NEAR(ab.change.value, 0.1, 0.02);
}

TEST(ComparePairs, ImpossibleTimesAreLeftOut) {
  Pairs pairs = TimingSource({.name = "", .noise = 0.003}, 9).pairs(0, 8, 10);
  const PairedResult before = compare_pairs(pairs, 1);
  for (auto& rounds : pairs.placements) {
    rounds.push_back({0.1, 0});
    rounds.push_back({-0.1, 0.1});
    rounds.push_back({0.1, std::nan("")});
    rounds.push_back({INFINITY, 0.1});
  }
  pairs.placements.push_back({});
  const PairedResult after = compare_pairs(pairs, 1);
  EXPECT_EQ(before.change.value, after.change.value);
  EXPECT_EQ(before.noise_band, after.noise_band);
  EXPECT_FALSE(compare_pairs({}, 1).differs);
}

TEST(ComparePairs, SameSeedSameBits) {
  const Pairs pairs = TimingSource({.name = "", .noise = 0.003}, 11).pairs(0.01, 8, 10);
  const PairedResult x = compare_pairs(pairs, 42), y = compare_pairs(pairs, 42);
  EXPECT_EQ(x.change.lo, y.change.lo);
  EXPECT_EQ(x.change.hi, y.change.hi);
  EXPECT_EQ(x.noise_band, y.noise_band);
  EXPECT_NE(x.change.lo, compare_pairs(pairs, 43).change.lo);
}

}  // namespace
}  // namespace pitot::measure
