// Numbers of a page, and samples in bins.
#include "report/page_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "report/page_histogram.h"

namespace pitot::report::page {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(PageWords, Figures) {
  EXPECT_EQ(figure(0), "0");
  EXPECT_EQ(figure(1234567), "1234567");
  EXPECT_EQ(figure(12345.6), "12346");
  EXPECT_EQ(figure(0.0123456), "0.01235");
  EXPECT_EQ(figure(-1.5), "-1.5");
  EXPECT_EQ(figure(kUnknown), "–");
  EXPECT_EQ(figure(kInfinite), "–");
  EXPECT_EQ(figure(1e300), "1e+300");
}

TEST(PageWords, Percents) {
  EXPECT_EQ(percent(0.5), "50.0 %");
  EXPECT_EQ(signed_percent(0.0712), "+7.12 %");
  EXPECT_EQ(signed_percent(-0.0712), "-7.12 %");
  EXPECT_EQ(signed_percent(-0.00001), "0.00 %");
  EXPECT_EQ(signed_percent(kUnknown), "–");
}

TEST(PageWords, IntervalsThatAreNotKnownAreLeftOut) {
  const NumberWords words = [](double v) { return fixed(v, 1); };
  EXPECT_EQ(interval_cell(1, 0.5, 2, words).note, "0.5 … 2.0");
  EXPECT_EQ(interval_cell(1, kUnknown, 2, words).note, "");
  EXPECT_EQ(interval_cell(kUnknown, kUnknown, kUnknown, words).text, "–");
}

double total(const Chart& c) {
  double out = 0;
  for (const Series& s : c.series)
    for (const double n : s.values) out += n;
  return out;
}

TEST(PageHistogram, AllAlikeAndNone) {
  EXPECT_TRUE(histogram({}).series.empty());
  EXPECT_TRUE(histogram({{"none", {}}}).series.empty());
  EXPECT_TRUE(histogram({{"none", {kUnknown, kInfinite}}}).series.empty());
  for (const double v : {0.0, 3.0, -3.0, 1e-300, 1e15})
    EXPECT_EQ(total(histogram({{"alike", {v, v, v}}})), 3) << v;
  EXPECT_EQ(total(histogram({{"a", {1, 1}}}, Chart::Scale::kRatio)), 2);
  // What is no ratio is left out.
  EXPECT_EQ(total(histogram({{"a", {0, -1, 2}}}, Chart::Scale::kRatio)), 1);
}

TEST(PageHistogram, CountsEveryValueInItsBin) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const size_t n = 1 + random() % 300;
    std::normal_distribution<double> centre(0, std::pow(10, static_cast<int>(random() % 12) - 6));
    std::normal_distribution<double> spread(centre(random),
                                            std::pow(10, static_cast<int>(random() % 12) - 6));
    std::vector<double> values;
    for (size_t i = 0; i < n; ++i) values.push_back(spread(random));
    const Chart c = histogram({{"v", values}});
    ASSERT_EQ(c.series.size(), 1u);
    EXPECT_EQ(total(c), static_cast<double>(n));
    ASSERT_LE(c.series[0].values.size(), 40u);
    ASSERT_EQ(c.at.size(), c.series[0].values.size() + 1);
    for (size_t b = 0; b + 1 < c.at.size(); ++b) EXPECT_LT(c.at[b], c.at[b + 1]);
    const double slack = 1e-9 * (std::fabs(c.at.front()) + std::fabs(c.at.back()));
    for (const double v : values) {
      EXPECT_GE(v, c.at.front() - slack);
      EXPECT_LE(v, c.at.back() + slack);
    }
  }
}

TEST(PageHistogram, Quantiles) {
  EXPECT_EQ(quantile({7}, 0.5), 7);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.5), 2.5);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 1), 4);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0), 1);
}

}  // namespace
}  // namespace pitot::report::page
