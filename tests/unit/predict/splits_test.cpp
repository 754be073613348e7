// Splits: every row judged once, variants kept together, the same for the same seed.
#include "predict/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "synthetic.h"

namespace pitot::predict {
namespace {

// No row on both sides; together all measured rows unless some are left out on purpose.
void expect_apart(const Split& s) {
  const std::set<size_t> train(s.train.begin(), s.train.end());
  for (size_t r : s.test) EXPECT_FALSE(train.contains(r)) << s.name;
}

TEST(Splits, FoldsJudgeEveryRowOnce) {
  Dataset data = test::synthetic({.families = 3, .variants = 11});
  data.rows[5].status = "launch_failed";
  const auto folds = folds_within_families(data, 5, 7);
  ASSERT_EQ(folds.size(), 5u);
  std::map<size_t, unsigned> judged;
  for (const Split& s : folds) {
    expect_apart(s);
    EXPECT_EQ(s.train.size() + s.test.size(), data.rows.size() - 1);
    // Both sizes of a variant are on one side, and every family is on both.
    std::set<std::string> train, test, families;
    for (size_t r : s.train) train.insert(data.rows[r].family + data.rows[r].variant);
    for (size_t r : s.test) {
      test.insert(data.rows[r].family + data.rows[r].variant);
      families.insert(data.rows[r].family);
      ++judged[r];
    }
    for (const std::string& v : test) EXPECT_FALSE(train.contains(v));
    EXPECT_EQ(families.size(), 3u);
  }
  EXPECT_EQ(judged.size(), data.rows.size() - 1);
  EXPECT_FALSE(judged.contains(5));
  for (const auto& [row, times] : judged) EXPECT_EQ(times, 1u);
}

TEST(Splits, SeedsDecideAndTheOrderOfRowsDoesNot) {
  const Dataset data = test::synthetic({.families = 2, .variants = 20, .sizes = 1});
  std::vector<size_t> reversed(data.rows.size());
  for (size_t i = 0; i < reversed.size(); ++i) reversed[i] = data.rows.size() - 1 - i;
  const Dataset other = data.subset(reversed);
  const auto names = [](const Dataset& d, const Split& s) {
    std::set<std::string> out;
    for (size_t r : s.test) out.insert(d.rows[r].family + d.rows[r].variant);
    return out;
  };
  const auto a = folds_within_families(data, 4, 1), b = folds_within_families(other, 4, 1),
             c = folds_within_families(data, 4, 2);
  EXPECT_EQ(names(data, a[0]), names(other, b[0]));
  EXPECT_NE(names(data, a[0]), names(data, c[0]));
}

TEST(Splits, FamiliesTargetsAndShots) {
  Dataset data = test::synthetic({.families = 3, .variants = 8});
  for (DataRow& r : data.rows)
    if (r.variant < "v004") r.target = "sm_80";
  const auto families = leave_one_family_out(data);
  ASSERT_EQ(families.size(), 3u);
  for (const Split& s : families) {
    EXPECT_EQ(s.test.size(), 16u);
    EXPECT_EQ(s.train.size(), 32u);
    std::set<std::string> judged;
    for (size_t r : s.test) judged.insert(data.rows[r].family);
    EXPECT_EQ(judged.size(), 1u);
    for (size_t r : s.train) EXPECT_FALSE(judged.contains(data.rows[r].family));
  }
  const auto targets = leave_one_target_out(data);
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(targets[0].test.size(), 24u);
  for (const Split& s : few_shot(data, 5, 3)) {
    expect_apart(s);
    EXPECT_EQ(s.shots.size(), 10u);  // both sizes of five variants
    EXPECT_EQ(s.test.size(), 6u);
    EXPECT_EQ(s.train.size(), 42u);
  }
  for (const Split& s : few_shot(data, 100, 3)) EXPECT_TRUE(s.test.empty());
  for (const Split& s : few_shot(data, 0, 3)) EXPECT_TRUE(s.shots.empty());
  const Split apart = families_apart(data, {"family0", "family2"});
  EXPECT_EQ(apart.test.size(), 32u);
  EXPECT_EQ(apart.train.size(), 16u);
}

}  // namespace
}  // namespace pitot::predict
