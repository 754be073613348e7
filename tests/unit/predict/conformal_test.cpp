// Conformal widths: the rank by hand, and coverage on data made for it.
#include "predict/conformal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pitot::predict {
namespace {

TEST(Conformal, RankByHand) {
  const std::vector<double> nine{9, 1, 8, 2, 7, 3, 6, 4, 5};
  // ceil(10 · 0.9) = 9th of nine; ceil(10 · 0.5) = 5th; 95 % would need the 10th.
  EXPECT_EQ(conformal_quantile(nine, 0.9), 9);
  EXPECT_EQ(conformal_quantile(nine, 0.5), 5);
  EXPECT_TRUE(std::isinf(conformal_quantile(nine, 0.95)));
  EXPECT_TRUE(std::isinf(conformal_quantile({}, 0.9)));
}

TEST(Conformal, CoversAsOftenAsItSays) {
  // Errors of three families with other spreads; each family's width is its own.
  std::mt19937_64 random(3);
  const double spread[] = {0.02, 0.1, 0.3};
  const auto draw = [&](size_t n) {
    std::vector<CalibrationRow> rows;
    for (size_t f = 0; f < 3; ++f)
      for (size_t i = 0; i < n; ++i)
        rows.push_back({std::string(1, static_cast<char>('a' + f)),
                        std::normal_distribution<double>(0, spread[f])(random)});
    return rows;
  };
  const Calibration c = calibrate(draw(2000), {}, 0.9);
  for (size_t f = 0; f < 3; ++f) {
    const Likeness like{std::string(1, static_cast<char>('a' + f)), 0, 0, false};
    EXPECT_NEAR(half_width(c, like), 1.645 * spread[f], 0.15 * spread[f]);
  }
  double covered = 0, n = 0;
  for (const CalibrationRow& r : draw(4000)) {
    covered += std::fabs(r.error) <= half_width(c, {r.family, 0, 0, false});
    ++n;
  }
  EXPECT_NEAR(covered / n, 0.9, 0.012);
  // A family that was not there has the width of all.
  EXPECT_EQ(half_width(c, {"z", 0, 0, false}), c.seen);
  EXPECT_TRUE(std::isinf(half_width(c, {"a", 0, 0, true})));
}

TEST(Conformal, UnseenFamiliesWeighTheSame) {
  // Nine families without error, one with errors of 1 and many more rows: 90 % of the families.
  std::vector<CalibrationRow> rows;
  for (int f = 0; f < 9; ++f) rows.push_back({"f" + std::to_string(f), 0.01});
  for (int i = 0; i < 100; ++i) rows.push_back({"large", -1.0});
  EXPECT_EQ(calibrate({}, rows, 0.9).unseen, 0.01);
  EXPECT_EQ(calibrate({}, rows, 0.95).unseen, 1);
}

}  // namespace
}  // namespace pitot::predict
