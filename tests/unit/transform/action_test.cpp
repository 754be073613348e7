// The catalogue: every action has its place, its name and its conflicts.
#include "transform/action.h"

#include <gtest/gtest.h>

#include <set>

namespace pitot::transform {
namespace {

TEST(Actions, TheCatalogueIsInOrderAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (size_t k = 0; k < actions().size(); ++k) {
    const ActionInfo& a = actions()[k];
    EXPECT_EQ(static_cast<size_t>(a.action), k);
    EXPECT_TRUE(names.insert(a.name).second) << a.name;
    EXPECT_EQ(find_action(a.name), &a);
    EXPECT_FALSE(a.what.empty());
  }
  EXPECT_EQ(names.size(), kActions);
  EXPECT_EQ(find_action("vec"), nullptr);
}

TEST(Actions, OneOfAnExclusiveGroup) {
  EXPECT_FALSE(can_follow(Action::kCacheCs, Action::kCacheCg));
  EXPECT_FALSE(can_follow(Action::kMaxnreg32, Action::kMaxnreg255));
  EXPECT_FALSE(can_follow(Action::kVecLd, Action::kVecLd));
  EXPECT_TRUE(can_follow(Action::kVecLd, Action::kVecSt));
  EXPECT_TRUE(can_follow(Action::kVecLd, Action::kVecWide));
  EXPECT_TRUE(can_follow(Action::kCacheCs, Action::kStCacheCs));
}

}  // namespace
}  // namespace pitot::transform
