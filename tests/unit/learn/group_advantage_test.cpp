// Advantages, the entropy rule and the temperatures, by hand.
#include "learn/group_advantage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pitot::learn {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

TEST(GroupAdvantages, AreRewardMinusMedianOverTheBatchsDeviation) {
  // Groups {0, 1, 3, 8}: median 2: -2 -1 1 6; {5, 5, 5, 9}: median 5: 0 0 0 4.
  // Mean 1, squares 9+4+0+25+1+1+1+9 = 50, deviation 2.5.
  const auto near = [](double v) { return DoubleNear(v, 1e-12); };
  EXPECT_THAT(group_advantages({0, 1, 3, 8, 5, 5, 5, 9}, 4),
              ElementsAre(near(-1.2), near(-0.8), near(0), near(2), near(-0.4), near(-0.4),
                          near(-0.4), near(1.2)));
}

TEST(GroupAdvantages, OddGroupsHaveTheMiddleOne) {
  // {1, 2, 6}: -1 0 4; mean 1, squares 4+1+9 = 14.
  const double d = std::sqrt(14.0 / 3);
  EXPECT_THAT(
      group_advantages({1, 2, 6}, 3),
      ElementsAre(DoubleNear(-2 / d, 1e-12), DoubleNear(-1 / d, 1e-12), DoubleNear(3 / d, 1e-12)));
}

TEST(GroupAdvantages, EqualRewardsTeachNothing) {
  EXPECT_THAT(group_advantages({0.3, 0.3, 0.3, 0.3}, 2), Each(0));
  EXPECT_THAT(group_advantages({0.1, 0.1, 0.3, 0.3}, 2), Each(0));
  EXPECT_TRUE(group_advantages({}, 8).empty());
}

TEST(EntropyRule, RisesWhenEntropyFalls) {
  const EntropyRule rule;
  EXPECT_DOUBLE_EQ(rule.next(0.01, 0.29), 0.011);
  EXPECT_DOUBLE_EQ(rule.next(0.05, 0.31), 0.05 / 1.02);
  EXPECT_DOUBLE_EQ(rule.next(0.01, 0.9), 0.01);
  EXPECT_DOUBLE_EQ(rule.next(0.19, 0), 0.2);
}

TEST(Temperature, TheSecondHalfIsCooler) {
  EXPECT_EQ(temperature_of(0, 450, 1.5, 0.5), 1.5);
  EXPECT_EQ(temperature_of(224, 450, 1.5, 0.5), 1.5);
  EXPECT_EQ(temperature_of(225, 450, 1.5, 0.5), 0.5);
  EXPECT_EQ(temperature_of(449, 450, 1.5, 0.5), 0.5);
}

}  // namespace
}  // namespace pitot::learn
