// pass@k, fast_p, speed-ups that failures do not collapse, comparison of generators.
#include "bench/scores.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pitot::bench {
namespace {

// By counting all subsets.
double brute(unsigned n, unsigned c, unsigned k) {
  unsigned good = 0, all = 0;
  for (unsigned set = 0; set < 1u << n; ++set) {
    if (static_cast<unsigned>(__builtin_popcount(set)) != k) continue;
    ++all;
    good += (set & ((1u << c) - 1)) != 0;
  }
  return static_cast<double>(good) / all;
}

Judgement made(const std::string& task, bool right, double speedup) {
  Judgement j;
  j.task = task;
  j.generator = "g";
  j.verdict = right ? Verdict::kRight : Verdict::kWrong;
  j.tier = right ? Tier::kTimed : Tier::kCompiles;
  j.speedup = right ? speedup : 0;
  return j;
}

TEST(Scores, PassAtKCountsSubsets) {
  for (unsigned n = 1; n <= 10; ++n)
    for (unsigned c = 0; c <= n; ++c)
      for (unsigned k = 1; k <= n; ++k) EXPECT_NEAR(pass_at_k(n, c, k), brute(n, c, k), 1e-12);
  EXPECT_TRUE(std::isnan(pass_at_k(3, 1, 4)));
  EXPECT_NEAR(pass_at_k(100000, 1, 1), 1e-5, 1e-12);
}

TEST(Scores, FailuresKeepTheOriginal) {
  const std::vector<Judgement> judged{made("a", true, 2),  made("a", false, 0),
                                      made("a", true, 4),  made("b", false, 0),
                                      made("b", false, 0), made("b", false, 0)};
  const std::vector<uint32_t> ks{1, 3, 4};
  const Scores s = score(judged, ks, 1);
  ASSERT_EQ(s.tasks.size(), 2u);
  EXPECT_EQ(s.tasks[0].median_speedup, 2);  // of 2, 1 and 4
  EXPECT_EQ(s.tasks[1].median_speedup, 1);
  EXPECT_NEAR(s.speedup.value, std::sqrt(2.0), 1e-12);  // no zero collapses it
  EXPECT_GE(s.speedup.low, 1);
  EXPECT_EQ(s.right_tasks, 1u);
  EXPECT_NEAR(s.speedup_of_right.value, 3, 1e-12);
  EXPECT_NEAR(s.pass.at(1).value, 1.0 / 3, 1e-12);
  EXPECT_NEAR(s.pass.at(3).value, 0.5, 1e-12);
  EXPECT_FALSE(s.pass.contains(4));  // no task has so many samples
  EXPECT_NEAR(s.fast[0].value, 1.0 / 3, 1e-12);
  EXPECT_NEAR(s.fast[3].value, 1.0 / 6, 1e-12);  // more than 2, which 2 is not
  EXPECT_EQ(s.verdicts.at("wrong"), 4u);
}

// One lucky sample of many moves no median.
TEST(Scores, ASingleLuckyRunIsNotTheScore) {
  std::vector<Judgement> judged;
  for (int i = 0; i < 9; ++i) judged.push_back(made("a", true, 1));
  judged.push_back(made("a", true, 50));
  const Scores s = score(judged, std::vector<uint32_t>{1}, 1);
  EXPECT_EQ(s.speedup.value, 1);
  EXPECT_EQ(s.tasks[0].best_speedup, 50);
}

TEST(Scores, GeneratorsArePairedOverTasks) {
  std::vector<Judgement> a, b;
  for (int t = 0; t < 20; ++t) {
    const double own = std::exp(0.3 * t - 3);  // tasks differ far more than generators do
    a.push_back(made("t" + std::to_string(t), true, own));
    b.push_back(made("t" + std::to_string(t), true, own * 1.1));
  }
  const std::vector<uint32_t> ks{1};
  const Comparison c = compare_generators(score(a, ks, 1), score(b, ks, 1), 1);
  EXPECT_EQ(c.tasks, 20u);
  EXPECT_NEAR(c.log_ratio.value, std::log(1.1), 1e-9);
  EXPECT_GT(c.log_ratio.low, 0);
  EXPECT_LT(c.p_value, 0.001);
  const Comparison same = compare_generators(score(a, ks, 1), score(a, ks, 1), 1);
  EXPECT_EQ(same.p_value, 1);
}

}  // namespace
}  // namespace pitot::bench
