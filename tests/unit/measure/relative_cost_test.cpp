// Costs relative to the original's neighbouring times.
#include "measure/relative_cost.h"

#include <gtest/gtest.h>

namespace pitot::measure {
namespace {

Estimate around(double value, double half) { return {value, value - half, value + half}; }

TEST(RelativeCost, WithoutDriftItIsTheTimeItself) {
  const RelativeCost c = relative_cost(200, around(150, 0), around(200, 0), around(200, 0), 0.3);
  EXPECT_DOUBLE_EQ(c.cost, 150);
  EXPECT_DOUBLE_EQ(c.noise, 150 * kHalfDeadZone);
}

// The GPU becomes 10 % slower between the two, and the program with it: it stays what it is.
TEST(RelativeCost, AClockThatChangesFavoursNobody) {
  for (double at : {0.0, 0.25, 0.5, 1.0}) {
    const double speed = 1 + 0.1 * at;
    const RelativeCost c =
        relative_cost(100, around(80 * speed, 0), around(100, 0), around(110, 0), at);
    EXPECT_NEAR(c.cost, 80, 1e-12) << at;
  }
  // Against a base that was measured when the GPU was faster yet.
  EXPECT_NEAR(relative_cost(50, around(80, 0), around(100, 0), around(100, 0), 0.5).cost, 40,
              1e-12);
}

TEST(RelativeCost, BothIntervalsAreInTheNoise) {
  const RelativeCost c = relative_cost(100, around(50, 1.5), around(100, 4), around(100, 2), 0.5);
  EXPECT_NEAR(c.noise, 50 * 0.05, 1e-12);  // 3 % and 4 %
}

}  // namespace
}  // namespace pitot::measure
