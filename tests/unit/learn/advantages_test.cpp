#include "learn/advantages.h"

#include <gtest/gtest.h>

namespace pitot::learn {
namespace {

// Two episodes of two steps and the beginning of a third, by hand: γ 0.5, λ 0.5.
TEST(StepAdvantages, AreTheRecursion) {
  const std::vector<float> rewards{1, 2, 3, 4, 5}, values{10, 20, 30, 40, 50, 60};
  const std::vector<float> a =
      step_advantages(rewards, values, {false, true, false, true, false}, 0.5, 0.5);
  EXPECT_FLOAT_EQ(a[4], 5 + 0.5F * 60 - 50);                // -15
  EXPECT_FLOAT_EQ(a[3], 4 - 40);                            // -36: nothing behind an end
  EXPECT_FLOAT_EQ(a[2], 3 + 0.5F * 40 - 30 + 0.25F * -36);  // -16
  EXPECT_FLOAT_EQ(a[1], 2 - 20);
  EXPECT_FLOAT_EQ(a[0], 1 + 0.5F * 20 - 10 + 0.25F * -18);
}

}  // namespace
}  // namespace pitot::learn
