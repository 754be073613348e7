#include "knobs/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knobs_tables.h"

namespace pitot::knobs {
namespace {

TEST(KnobTable, FindsRowsByCaseAndConfiguration) {
  const auto t = Table::of(test::small_sweep());
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->cases().size(), 4u);
  EXPECT_EQ(t->kernels(), (std::vector<std::string>{"gemm", "sum"}));
  EXPECT_EQ(t->space().size(), 6u);
  const auto choice = t->space().choice_with(std::vector<int64_t>{128, 32});
  ASSERT_TRUE(choice);
  const SweepRow* r = t->row(1, t->space().index_of(*choice));
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(r->matrix_size, 512);
  EXPECT_DOUBLE_EQ(r->mean_ms, 128);
}

TEST(KnobTable, KnowsWhatRanAndTheBest) {
  const auto t = Table::of(test::small_sweep());
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->ran(0).size(), 6u);
  EXPECT_EQ(t->ran(2).size(), 5u);
  for (size_t c = 0; c < 4; ++c) EXPECT_EQ(t->best(c), 5u);
}

TEST(KnobTable, RowsThatNobodySweptAreNone) {
  SweepResult sweep = test::small_sweep();
  sweep.rows.erase(sweep.rows.begin());
  const auto t = Table::of(sweep);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->row(0, 0), nullptr);
  EXPECT_NE(t->row(1, 0), nullptr);
}

TEST(KnobTable, RefusesWhatCannotBeLearnedFrom) {
  EXPECT_FALSE(Table::of({}).ok());
  SweepResult sweep = test::small_sweep();
  for (SweepRow& r : sweep.rows)
    if (r.kernel == "sum" && r.matrix_size == 512) r.failure = "trap";
  const auto t = Table::of(sweep);
  ASSERT_FALSE(t.ok());
  EXPECT_THAT(t.error().message, testing::HasSubstr("'sum' at 512"));
}

}  // namespace
}  // namespace pitot::knobs
