#include "knobs/space.h"

#include <gtest/gtest.h>

#include <set>

namespace pitot::knobs {
namespace {

TEST(KnobSpace, NumbersEveryConfigurationOnce) {
  const Space s{{{"block_size", {64, 128, 256}}, {"reg_cap", {0, 32}}, {"unroll", {1, 4, 8, 16}}}};
  ASSERT_EQ(s.size(), 24u);
  std::set<std::vector<int64_t>> seen;
  for (size_t i = 0; i < s.size(); ++i) {
    const Choice c = s.choice_of(i);
    EXPECT_EQ(s.index_of(c), i);
    const auto settings = s.settings_of(c);
    EXPECT_TRUE(seen.insert(settings).second);
    EXPECT_EQ(s.choice_with(settings), c);
  }
  // The last knob counts fastest.
  EXPECT_EQ(s.settings_of(s.choice_of(5)), (std::vector<int64_t>{64, 32, 4}));
}

TEST(KnobSpace, HasOnlyItsValues) {
  const Space s{{{"block_size", {64, 128}}, {"reg_cap", {0}}}};
  EXPECT_FALSE(s.choice_with(std::vector<int64_t>{96, 0}));
  EXPECT_FALSE(s.choice_with(std::vector<int64_t>{512, 0}));
  EXPECT_FALSE(s.choice_with(std::vector<int64_t>{64}));
  EXPECT_TRUE(s.choice_with(std::vector<int64_t>{128, 0}));
}

TEST(KnobSpace, WithoutKnobsThereIsOneConfiguration) {
  const Space s;
  EXPECT_EQ(s.size(), 1u);
  EXPECT_EQ(s.choice_of(0), Choice{});
}

}  // namespace
}  // namespace pitot::knobs
