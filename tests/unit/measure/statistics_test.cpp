// Medians and their intervals, outliers, Student's t.
#include "measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/random_draws.h"
#include "measure/resampled_median.h"
#include "measure/student_t.h"
#include "simulated_timings.h"

namespace pitot::measure {
namespace {

TEST(Statistics, Median) {
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_EQ(median(std::vector<double>{3}), 3);
  EXPECT_EQ(median(std::vector<double>{5, 1, 3}), 3);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{2, 2, 2, 9}), 2);
}

// Tables of Student's t, five figures.
TEST(Statistics, StudentQuantiles) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.30265, 1e-5);
  EXPECT_NEAR(student_quantile(0.995, 3), 5.84091, 1e-5);
  EXPECT_NEAR(student_quantile(0.995, 7), 3.49948, 1e-5);
  EXPECT_NEAR(student_quantile(0.8, 7), 0.89603, 1e-5);
  EXPECT_NEAR(student_quantile(0.975, 10), 2.22814, 1e-5);
  EXPECT_NEAR(student_quantile(0.975, 1000), 1.96234, 1e-5);
}

TEST(Statistics, ResampledMedianIsThatOfDraws) {
  for (const size_t n : {1, 3, 9, 25, 101}) {
    std::vector<double> values(n);
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);
    const ResampledMedian known(values);
    RandomDraws draws(n);
    std::vector<double> medians(20000), resample(n);
    for (double& m : medians) {
      for (double& r : resample) r = values[draws.below(static_cast<uint32_t>(n))];
      m = median_in_place(resample);
    }
    std::sort(medians.begin(), medians.end());
    for (const double p : {0.025, 0.1, 0.37, 0.5, 0.8, 0.975}) {
      // The share of draws up to the value reaches p, up to the value before does not.
      const double value = known.at(p);
      auto share = [&](double v) {
        return static_cast<double>(std::upper_bound(medians.begin(), medians.end(), v) -
                                   medians.begin()) /
               20000;
      };
      EXPECT_GE(share(value), p - 0.015) << n;
      EXPECT_LE(share(value - 1), p + 0.015) << n;
    }
  }
}

double coverage(const TimingWorld& world, size_t samples, double truth) {
  unsigned covered = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    TimingSource source(world, seed);
    std::vector<double> values(samples);
    for (double& v : values) v = source.next(1, 0);
    const Estimate e = bootstrap_median(values);
    covered += e.lo <= truth && truth <= e.hi;
    EXPECT_LE(e.lo, e.value);
    EXPECT_LE(e.value, e.hi);
  }
  return covered / 400.0;
}

TEST(Statistics, IntervalOfTheMedianCovers) {
  EXPECT_GE(coverage({.name = "", .noise = 0.01}, 21, 1), 0.93);
  EXPECT_GE(coverage({.name = "", .noise = 0.01}, 100, 1), 0.93);
  EXPECT_GE(coverage({.name = "", .noise = 0.01, .interrupted = 0.02}, 100, 1), 0.92);
}

// Taken for independent, neighbours that resemble each other would give a coverage near 0.6.
TEST(Statistics, IntervalOfTheMedianCoversCorrelatedSamples) {
  EXPECT_GE(coverage({.name = "", .noise = 0.01, .correlation = 0.3}, 30, 1), 0.92);
  EXPECT_GE(coverage({.name = "", .noise = 0.01, .correlation = 0.6}, 100, 1), 0.93);
  EXPECT_GE(coverage({.name = "", .noise = 0.01, .correlation = 0.9}, 200, 1), 0.91);
}

// It costs independent samples little: the interval of n of them is 2 × 1.96 × 1.2533 σ/√n wide.
TEST(Statistics, IntervalOfIndependentSamplesIsNarrow) {
  double width = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TimingSource source({.name = "", .noise = 0.01}, seed);
    std::vector<double> values(100);
    for (double& v : values) v = source.next(1, 0);
    const Estimate e = bootstrap_median(values);
    width += (e.hi - e.lo) / 200;
  }
  EXPECT_NEAR(width, 2 * 1.96 * 1.2533 * 0.01 / 10, 0.0006);
}

// Samples until the interval is narrow: the share of such runs whose interval has the true median.
double coverage_when_stopped(const TimingWorld& world, double relative) {
  unsigned covered = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    TimingSource source(world, seed);
    std::vector<double> values;
    do {
      for (int i = 0; i < 10; ++i) values.push_back(source.next(1, 0));
    } while (values.size() < 2000 && !narrow_enough(values, relative));
    const Estimate e = bootstrap_median(values);
    covered += e.lo <= 1 && 1 <= e.hi;
  }
  return covered / 200.0;
}

// Stopping at the interval's width alone gives 0.73 for the last of these.
TEST(Statistics, StoppingWhenNarrowKeepsTheCoverage) {
  EXPECT_GE(coverage_when_stopped({.name = "", .noise = 0.01}, 0.005), 0.92);
  EXPECT_GE(coverage_when_stopped({.name = "", .noise = 0.01, .correlation = 0.6}, 0.005), 0.89);
  EXPECT_GE(coverage_when_stopped({.name = "", .noise = 0.01, .correlation = 0.9}, 0.005), 0.81);
}

TEST(Statistics, NarrowEnough) {
  std::vector<double> values(15, 1.0);
  EXPECT_FALSE(narrow_enough(values, 0.5));
  values.push_back(1);
  EXPECT_TRUE(narrow_enough(values, 0.5));
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1 : 2;
  EXPECT_FALSE(narrow_enough(values, 0.1));
  EXPECT_FALSE(narrow_enough({}, 0.1));
}

TEST(Statistics, FewValuesHaveNoInterval) {
  const Estimate two = bootstrap_median(std::vector<double>{1, 3});
  EXPECT_EQ(two.value, 2);
  EXPECT_TRUE(std::isinf(two.lo) && std::isinf(two.hi));
  EXPECT_TRUE(std::isnan(bootstrap_median({}).value));
  const Estimate three = bootstrap_median(std::vector<double>{1, 2, 3});
  EXPECT_EQ(three.lo, 1);
  EXPECT_EQ(three.hi, 3);
}

TEST(Statistics, Outliers) {
  std::vector<double> values;
  TimingSource source({.name = "", .noise = 0.01}, 6);
  for (int i = 0; i < 100; ++i) values.push_back(source.next(1, 0));
  EXPECT_EQ(outliers(values), 0u);
  values[10] = 1.2;
  values[50] = 0.8;
  EXPECT_EQ(outliers(values), 2u);
  EXPECT_EQ(outliers({}), 0u);
  // Most values equal: the neighbouring tick is none.
  std::vector<double> ticks(100, 10.0);
  ticks[3] = 10.005;
  EXPECT_EQ(outliers(ticks), 0u);
  ticks[4] = 11;
  EXPECT_EQ(outliers(ticks), 1u);
}

}  // namespace
}  // namespace pitot::measure
