#include "knobs/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "knobs/orders.h"
#include "knobs_tables.h"

namespace pitot::knobs {
namespace {

using testing::HasSubstr;

Table small_table() {
  auto t = Table::of(test::small_sweep());
  EXPECT_TRUE(t.ok());
  return std::move(*t);
}

// A table of one case over three knobs whose time is a sum of one term a knob: coordinate descent
// finds the best of it in one round.
Table separable() {
  SweepResult sweep;
  sweep.knobs.push_back("unroll");
  for (const int64_t block : {64, 128, 256, 512})
    for (const int64_t cap : {0, 32, 64})
      for (const int64_t unroll : {1, 2, 4, 8}) {
        SweepRow r;
        r.kernel = "k";
        r.matrix_size = 256;
        r.settings = {block, cap, unroll};
        r.mean_ms = r.least_ms = r.most_ms = 1 + std::abs(static_cast<double>(block) - 128) / 64 +
                                             static_cast<double>(cap) / 32 +
                                             std::abs(static_cast<double>(unroll) - 4);
        sweep.rows.push_back(r);
      }
  auto t = Table::of(std::move(sweep));
  EXPECT_TRUE(t.ok());
  return std::move(*t);
}

void expect_permutation(std::vector<size_t> order, size_t count) {
  EXPECT_EQ(order.size(), count);
  EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), count);
}

TEST(KnobOrders, RandomIsAPermutationOfItsSeed) {
  const Table t = small_table();
  expect_permutation(random_order(t, 2, 1), 6);
  EXPECT_EQ(random_order(t, 2, 1), random_order(t, 2, 1));
  std::set<size_t> first;
  for (uint64_t s = 0; s < 200; ++s) first.insert(random_order(t, 0, s)[0]);
  EXPECT_EQ(first.size(), 6u);
}

TEST(KnobOrders, GreedyFindsWhatAddsUpInOneRound) {
  const Table t = separable();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto order = greedy_order(t, 0, 47, seed);
    expect_permutation(order, 48);
    EXPECT_EQ(order[0], 47u);
    // The start, and at most the other values of each knob.
    const auto at = std::find(order.begin(), order.end(), t.best(0));
    EXPECT_LE(at - order.begin(), 1 + 3 + 2 + 3);
  }
}

TEST(KnobOrders, APredictionIsFollowed) {
  const Table t = small_table();
  SweepResult model = test::small_sweep();
  // The model has it the wrong way round, and knows nothing of one configuration.
  for (SweepRow& r : model.rows) {
    r.mean_ms = 1 / r.mean_ms;
    r.least_ms = r.most_ms = r.mean_ms;
  }
  model.rows.erase(model.rows.begin());
  auto p = Table::of(std::move(model));
  ASSERT_TRUE(p.ok());
  EXPECT_EQ(predicted_order(t, 0, *p), (std::vector<size_t>{1, 2, 3, 4, 5, 0}));
}

TEST(KnobComparison, HoldsAllAgainstTheBest) {
  const Table t = small_table();
  ComparisonOptions how;
  how.budgets = {1, 6};
  how.seeds = 400;
  const auto r = compare(t, {}, how);
  ASSERT_TRUE(r.ok()) << r.error().message;
  ASSERT_EQ(r->summaries.size(), 8u);
  // The default is the second best of six everywhere: 1/5 against 1/6.
  EXPECT_EQ(r->summaries[0].method, "default");
  EXPECT_NEAR(r->summaries[0].regret, 0.2, 1e-9);
  EXPECT_NEAR(r->summaries[0].speedup, 1, 1e-9);
  EXPECT_EQ(r->summaries[3].method, "exhaustive");
  EXPECT_NEAR(r->summaries[3].regret, 0, 1e-12);
  EXPECT_NEAR(r->summaries[3].speedup, 1.2, 1e-9);
  // One draw: 6/n − 1 on average over n of those that run; of "sum" the second does not.
  const double gemm = (6 + 3 + 2 + 1.5 + 1.2 + 1) / 6 - 1, sum = (6 + 2 + 1.5 + 1.2 + 1) / 5 - 1;
  EXPECT_NEAR(r->summaries[1].regret, (gemm + sum) / 2, 0.15);
  EXPECT_GT(r->summaries[1].without, 0u);
  EXPECT_LT(r->summaries[1].regret_interval[0], r->summaries[1].regret);
  EXPECT_GT(r->summaries[1].regret_interval[1], r->summaries[1].regret);
  EXPECT_LT(r->summaries[0].against_random_interval[1], 0);
  // With all six measured everybody but the default has found the best.
  for (size_t i = 5; i < 8; ++i) EXPECT_NEAR(r->summaries[i].regret, 0, 1e-12);
}

TEST(KnobComparison, TakesOrdersOfOthers) {
  const Table t = small_table();
  Diagnostics problems;
  const std::string text =
      "kernel,matrix_size,seed,rank,block_size,reg_cap\n"
      "gemm,256,0,2,256,32\ngemm,256,0,1,64,0\nother,256,0,1,64,0\n";
  Contender ppo = read_orders(SourceText("o.csv", text), "ppo", t, problems);
  EXPECT_EQ(problems.errors(), 0u);
  ASSERT_EQ(ppo.orders.size(), 1u);
  EXPECT_EQ(ppo.orders[0][0], (std::vector<size_t>{0, 5}));
  ComparisonOptions how;
  how.budgets = {1, 2};
  how.seeds = 1;
  const auto r = compare(t, {ppo}, how);
  ASSERT_TRUE(r.ok());
  const auto of = [&](uint64_t budget) {
    return *std::find_if(r->summaries.begin(), r->summaries.end(),
                         [&](const auto& s) { return s.method == "ppo" && s.budget == budget; });
  };
  EXPECT_NEAR(of(1).regret, 5, 1e-9);
  EXPECT_NEAR(of(2).regret, 0, 1e-12);
  EXPECT_EQ(of(1).worst_case, "gemm 256");
}

TEST(KnobComparison, ComplainsOfOrdersThatCannotBe) {
  const Table t = small_table();
  const std::string head = "kernel,matrix_size,seed,rank,block_size,reg_cap\n";
  auto complaint = [&](const std::string& text) {
    Diagnostics out;
    read_orders(SourceText("o.csv", text), "x", t, out);
    return out.items().empty() ? std::string() : out.items()[0].message;
  };
  EXPECT_THAT(complaint("kernel,seed\n"), HasSubstr("matrix_size"));
  EXPECT_THAT(complaint(head + "gemm,256,0,1,96,0\n"), HasSubstr("no configuration"));
  EXPECT_THAT(complaint(head + "gemm,256,0,one,64,0\n"), HasSubstr("'one'"));
  EXPECT_EQ(complaint(head + "gemm,256,0,1,64,0\n"), "");
}

TEST(KnobComparison, NeedsADefaultThatRuns) {
  SweepResult sweep = test::small_sweep();
  sweep.rows[4].failure = "trap";
  auto t = Table::of(std::move(sweep));
  ASSERT_TRUE(t.ok());
  EXPECT_THAT(compare(*t, {}, {}).error().message, HasSubstr("'gemm' at 256"));
}

TEST(KnobComparison, TablesArePooledByTheirSearches) {
  const Table t = small_table();
  ComparisonOptions how;
  how.budgets = {1, 3};
  how.seeds = 4;
  const auto one = compare(t, {}, how);
  ASSERT_TRUE(one.ok());
  // Of one table, the same.
  const ComparisonResult same = pooled({*one}, how);
  ASSERT_EQ(same.summaries.size(), one->summaries.size());
  for (size_t i = 0; i < same.summaries.size(); ++i) {
    EXPECT_EQ(same.summaries[i].method, one->summaries[i].method);
    EXPECT_EQ(same.summaries[i].regret, one->summaries[i].regret);
    EXPECT_EQ(same.summaries[i].regret_interval, one->summaries[i].regret_interval);
  }
  EXPECT_EQ(comparison_csv(same), comparison_csv(*one));
  // Of two, the mean of all cases. Half of them have three times the regret of the default.
  ComparisonResult other = *one;
  for (ComparisonRow& r : other.rows) {
    r.kernel = "other " + r.kernel;
    if (r.method == "default") r.best_ms = r.least_ms * (1 + 3 * r.regret());
  }
  const ComparisonResult both = pooled({*one, other}, how);
  EXPECT_NEAR(both.summaries[0].regret, 2 * one->summaries[0].regret, 1e-12);
  EXPECT_EQ(both.summaries[1].regret, one->summaries[1].regret);
}

TEST(KnobComparison, KernelsAreDrawnWithAllTheirSizes) {
  SweepResult sweep;
  for (const int64_t size : {256, 512})
    for (const int64_t block : {128, 256}) {
      SweepRow r;
      r.kernel = "gemm";
      r.matrix_size = size;
      r.settings = {block, 0};
      // The default, 256, is 1 and 3 times slower than the best.
      r.mean_ms = block == 128 ? 1 : size == 256 ? 2 : 4;
      sweep.rows.push_back(r);
    }
  const auto t = Table::of(std::move(sweep));
  ASSERT_TRUE(t.ok());
  ComparisonOptions how;
  how.budgets = {1};
  how.seeds = 1;
  EXPECT_EQ(compare(*t, {}, how)->summaries[0].regret_interval, (std::array<double, 2>{1, 3}));
  how.whole_kernels = true;
  EXPECT_EQ(compare(*t, {}, how)->summaries[0].regret_interval, (std::array<double, 2>{2, 2}));
}

TEST(KnobComparison, WritesARowASearch) {
  const Table t = small_table();
  ComparisonOptions how;
  how.budgets = {1};
  how.seeds = 1;
  const auto r = compare(t, {}, how);
  ASSERT_TRUE(r.ok());
  const std::string csv = comparison_csv(*r);
  EXPECT_THAT(csv, HasSubstr("\ngemm,256,default,0,1,51.2,51.2,42.666666666666664,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 4 * 4);
}

}  // namespace
}  // namespace pitot::knobs
