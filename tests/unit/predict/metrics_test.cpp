// Figures of orders against values worked out by hand.
#include "predict/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pitot::predict {
namespace {

ScoredVariant variant(double time, double score, double half = 0.1) {
  return {time, time - half, time + half, score};
}

TEST(Metrics, PairsWithinTheNoiseDoNotCount) {
  // 10 and 10.1 share part of their intervals; 11 is apart from both.
  const std::vector<ScoredVariant> g{variant(10, 1), variant(10.1, 0), variant(11, 2)};
  const PairCount all = count_pairs(g, 0);
  EXPECT_EQ(all.pairs, 2u);
  EXPECT_EQ(all.right, 2);
  // 11 is 10 % slower than 10 and 8.9 % slower than 10.1.
  EXPECT_EQ(count_pairs(g, 0.09).pairs, 1u);
  EXPECT_EQ(count_pairs(g, 0.1).pairs, 0u);
  // Intervals that touch are not apart.
  EXPECT_FALSE(told_apart({1, 0.9, 1.5, 0}, {2, 1.5, 2.5, 0}, 0));
  EXPECT_TRUE(told_apart({1, 0.9, 1.4, 0}, {2, 1.5, 2.5, 0}, 0));
}

TEST(Metrics, EqualScoresCountHalf) {
  const std::vector<ScoredVariant> g{variant(1, 5), variant(2, 5), variant(3, 4)};
  const PairCount c = count_pairs(g, 0);  // 1-2 equal, 1-3 and 2-3 wrong
  EXPECT_EQ(c.pairs, 3u);
  EXPECT_EQ(c.right, 0.5);
}

TEST(Metrics, RankCorrelationsByHand) {
  // Ranks of times 1 2 3 4 5, of scores 2 1 4 3 5: d² = 1+1+1+1+0, ρ = 1 − 6·4/(5·24) = 0.8;
  // 2 of 10 pairs discordant, τ = 0.6.
  const std::vector<ScoredVariant> g{variant(10, 2), variant(20, 1), variant(30, 4), variant(40, 3),
                                     variant(50, 5)};
  EXPECT_NEAR(spearman(g), 0.8, 1e-12);
  EXPECT_NEAR(kendall(g), 0.6, 1e-12);
  // With ties, τ-b: scores 1 1 2 for times 1 2 3: 2 concordant, pairs 3 and 2: 2/√6. ρ: ranks
  // 0.5 0.5 2 against 0 1 2: cov = 1.5, variances 1.5 and 2: √0.75.
  const std::vector<ScoredVariant> ties{variant(1, 1), variant(2, 1), variant(3, 2)};
  EXPECT_NEAR(kendall(ties), 2 / std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(spearman(ties), std::sqrt(0.75), 1e-12);
  EXPECT_TRUE(std::isnan(spearman(std::vector<ScoredVariant>{variant(1, 1)})));
  EXPECT_TRUE(std::isnan(kendall(std::vector<ScoredVariant>{variant(1, 1), variant(2, 1)})));
}

TEST(Metrics, TopOfTheOrder) {
  const std::vector<ScoredVariant> g{variant(12, 1), variant(10, 3), variant(11, 2)};
  EXPECT_NEAR(top_slowdown(g, 1), 0.2, 1e-12);
  EXPECT_NEAR(top_slowdown(g, 2), 0.1, 1e-12);
  EXPECT_EQ(top_slowdown(g, 3), 0);
  EXPECT_EQ(top_slowdown(g, 9), 0);
  EXPECT_FALSE(top_has_best(g, 2, 0));
  EXPECT_TRUE(top_has_best(g, 2, 0.1));  // 11 is not told apart from 10 any more
  // Equal scores: the slowest comes first.
  const std::vector<ScoredVariant> equal{variant(10, 1), variant(20, 1)};
  EXPECT_EQ(top_slowdown(equal, 1), 1);
}

TEST(Metrics, AllFamiliesTogether) {
  // Within each family the order is right, between them it is not.
  const std::vector<std::vector<ScoredVariant>> families{{variant(1, 10), variant(2, 20)},
                                                         {variant(3, 1), variant(4, 2)}};
  const auto pooled = pooled_spearman(families, 1);
  EXPECT_NEAR(pooled.value, -0.6, 1e-12);  // 1 - 6 (4 + 4 + 4 + 4) / (4 * 15)
  EXPECT_LE(pooled.lo, pooled.value);
  EXPECT_GE(pooled.hi, 0.8);  // one family drawn twice, two pairs of equal ones: in order
  // One family has no interval.
  EXPECT_TRUE(std::isnan(pooled_spearman({families[0]}, 1).lo));
  EXPECT_EQ(pooled_spearman({families[0]}, 1).value, 1);
}

GroupMetrics group(const char* family, double pairwise, double top5) {
  GroupMetrics m;
  m.family = family;
  m.pairwise = pairwise;
  m.top5 = top5;
  return m;
}

TEST(Metrics, FamiliesWeighTheSame) {
  const auto s = summarise({group("a", 1, 0), group("a", 0.8, 0.2), group("b", 0.5, 0)}, 1);
  EXPECT_NEAR(s.pairwise.value, (0.9 + 0.5) / 2, 1e-12);
  EXPECT_EQ(s.worst_family, "b");
  EXPECT_EQ(s.worst_pairwise, 0.5);
  EXPECT_EQ(s.slowest_family, "a");
  EXPECT_NEAR(s.slowest_top5, 0.1, 1e-12);
  // Lowest b and b; highest a and a, whose best alone is drawn in one family of the two.
  EXPECT_EQ(s.pairwise.lo, 0.5);
  EXPECT_NEAR(s.pairwise.hi, 0.95, 1e-12);
  // Groups of which nothing can be said are left out, and one value has no width.
  const auto one = summarise({group("a", 0.7, 0), group("a", std::nan(""), 0)}, 1);
  EXPECT_EQ(one.pairwise.value, 0.7);
  EXPECT_EQ(one.pairwise.lo, 0.7);
  EXPECT_EQ(one.pairwise.hi, 0.7);
}

TEST(Metrics, IntervalsCoverTheMean) {
  // 40 families whose values are uniform: the interval of the mean holds 0.5 in most of 200 sets.
  unsigned covered = 0;
  uint64_t state = 1;
  for (unsigned t = 0; t < 200; ++t) {
    std::vector<GroupMetrics> groups;
    for (int f = 0; f < 40; ++f) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      groups.push_back(
          group(("f" + std::to_string(f)).c_str(), static_cast<double>(state >> 11) * 0x1p-53, 0));
    }
    const auto s = summarise(groups, t, 300);
    covered += s.pairwise.lo <= 0.5 && s.pairwise.hi >= 0.5;
  }
  EXPECT_GE(covered, 180u);
  EXPECT_LE(covered, 199u);
}

}  // namespace
}  // namespace pitot::predict
