// The batches of environments behind the Python module, without Python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "../environment/environment_helpers.h"
#include "../knobs/knobs_tables.h"
#include "knob_batch.h"
#include "transform_batch.h"

namespace pitot::python {
namespace {

using testing::HasSubstr;

struct KnobResults {
  explicit KnobResults(const KnobBatch& b)
      : seen(b.count() * b.observation_size()),
        last(seen.size()),
        reward(b.count()),
        ms(b.count()),
        baseline(b.count()),
        speedup(b.count()),
        truncated(new bool[b.count()]),
        count(b.count()) {}
  KnobBatch::Out out() {
    return {seen, last, reward, ms, baseline, speedup, {truncated.get(), count}};
  }
  std::vector<float> seen, last;
  std::vector<double> reward, ms, baseline, speedup;
  std::unique_ptr<bool[]> truncated;
  size_t count;
};

std::shared_ptr<knobs::TableReadings> small_readings() {
  return std::make_shared<knobs::TableReadings>(*knobs::Table::of(knobs::test::small_sweep()));
}

std::shared_ptr<KnobBatch> knob_batch(Autoreset autoreset, size_t count = 2) {
  knobs::EnvironmentOptions how;
  how.max_steps = 2;
  how.states = false;
  auto made = KnobBatch::make(small_readings(), count, how, autoreset);
  EXPECT_TRUE(made.ok());
  return *made;
}

// Both, with cases 0 (gemm, 256) and 3 (sum, 512).
void begin(KnobBatch& batch, std::span<float> seen) {
  const std::array<size_t, 2> which = {0, 1};
  const std::array<std::optional<uint64_t>, 2> seeds = {1, 2};
  const std::array<std::optional<size_t>, 2> cases = {0, 3};
  ASSERT_TRUE(batch.reset(which, seeds, cases, seen));
}

TEST(KnobBatchTest, StepsAllAndResetsWithTheNextStep) {
  const auto batch = knob_batch(Autoreset::kNextStep);
  KnobResults r(*batch);
  begin(*batch, r.seen);
  EXPECT_EQ(batch->number(1), 3u);
  EXPECT_THAT(batch->mask(0), testing::Each(true));
  // (256, 32) is six times as fast as the slowest, 6/5 of the default; of "sum" (64, 32) does not
  // run.
  const std::array<int64_t, 4> choices = {2, 1, 0, 1};
  ASSERT_TRUE(batch->step(choices, r.out()));
  EXPECT_NEAR(r.reward[0], 0.2, 1e-12);
  EXPECT_NEAR(r.speedup[0], 1.2, 1e-12);
  EXPECT_EQ(r.reward[1], -1);
  EXPECT_TRUE(std::isnan(r.ms[1]));
  EXPECT_FALSE(r.truncated[0]);
  ASSERT_TRUE(batch->step(choices, r.out()));
  EXPECT_TRUE(r.truncated[0] && r.truncated[1]);
  // What is chosen now does not matter, not even that it is nothing.
  const std::array<int64_t, 4> wrong = {99, -1, 0, 0};
  ASSERT_TRUE(batch->step(wrong, r.out()));
  EXPECT_EQ(r.reward[0], 0);
  EXPECT_FALSE(r.truncated[0]);
  EXPECT_TRUE(std::isnan(r.ms[0]));
}

TEST(KnobBatchTest, ResetsInTheSameStepOrNotAtAll) {
  const auto same = knob_batch(Autoreset::kSameStep);
  KnobResults r(*same);
  begin(*same, r.seen);
  const std::array<int64_t, 4> choices = {2, 1, 1, 0};
  ASSERT_TRUE(same->step(choices, r.out()));
  const std::vector<float> before = r.seen;
  ASSERT_TRUE(same->step(choices, r.out()));
  EXPECT_TRUE(r.truncated[0]);
  EXPECT_EQ(r.last, before);
  EXPECT_NE(r.seen, before);

  const auto none = knob_batch(Autoreset::kDisabled);
  EXPECT_THAT(none->step(choices, r.out()).error().message, HasSubstr("step before reset"));
  begin(*none, r.seen);
  ASSERT_TRUE(none->step(choices, r.out()));
  ASSERT_TRUE(none->step(choices, r.out()));
  EXPECT_THAT(none->step(choices, r.out()).error().message, HasSubstr("step before reset"));
}

TEST(KnobBatchTest, AWrongChoiceMovesNothing) {
  const auto batch = knob_batch(Autoreset::kNextStep);
  KnobResults r(*batch);
  begin(*batch, r.seen);
  const std::array<int64_t, 4> wrong = {2, 1, 0, 2};
  EXPECT_THAT(batch->step(wrong, r.out()).error().message,
              HasSubstr("environment 1: reg_cap has no value 2: it has 2"));
  const std::array<int64_t, 4> choices = {2, 1, 0, 0};
  ASSERT_TRUE(batch->step(choices, r.out()));
  EXPECT_FALSE(r.truncated[0]);  // its first step
}

TEST(KnobBatchTest, MasksCloseWhatNeverRan) {
  knobs::SweepResult sweep = knobs::test::small_sweep();
  for (auto& row : sweep.rows)
    if (row.settings[1] == 32 && row.kernel == "sum") row.failure = "no";
  const auto batch =
      KnobBatch::make(std::make_shared<knobs::TableReadings>(*knobs::Table::of(std::move(sweep))),
                      2, {}, Autoreset::kNextStep);
  ASSERT_TRUE(batch);
  std::vector<float> seen(2 * (*batch)->observation_size());
  begin(**batch, seen);
  EXPECT_THAT((*batch)->mask(1), testing::ElementsAre(true, true, true, true, false));
}

struct TransformResults {
  explicit TransformResults(const TransformBatch& b)
      : seen(b.count() * b.inputs()),
        last(seen.size()),
        reward(b.count()),
        flags(new bool[3 * b.count()]),
        count(b.count()) {}
  TransformBatch::Out out() {
    return {seen,
            last,
            reward,
            {flags.get(), count},
            {flags.get() + count, count},
            {flags.get() + 2 * count, count}};
  }
  bool terminated(size_t k) const { return flags[k]; }
  bool truncated(size_t k) const { return flags[count + k]; }
  bool closed(size_t k) const { return flags[2 * count + k]; }
  std::vector<float> seen, last;
  std::vector<double> reward;
  std::unique_ptr<bool[]> flags;
  size_t count;
};

std::shared_ptr<environment::RecordedTable> toy_table() {
  auto table = std::make_shared<environment::RecordedTable>();
  table->max_steps = 3;
  const transform::Action first = transform::actions()[0].action;
  // The first action halves the cost; all others are closed.
  for (const char* name : {"a", "b"})
    table->kernels.push_back(environment::toy_kernel(
        name, {first},
        [](search::ActionSet set) {
          return search::CostValue{set != 0 ? 1.0 : 2.0, 0, ""};
        },
        name[0] == 'a' ? 0.0f : 0.5f));
  return table;
}

TEST(TransformBatchTest, RewardsComeWithTheEndAndClosedActionsDoNothing) {
  const environment::EpisodeRules rules{search::PolicyKind::kPublished, 3};
  const auto made = TransformBatch::make(toy_table(), 2, rules, false, Autoreset::kNextStep);
  ASSERT_TRUE(made) << made.error().message;
  TransformBatch& batch = **made;
  TransformResults r(batch);
  const std::array<size_t, 2> which = {0, 1};
  const std::array<std::optional<uint64_t>, 2> seeds = {1, 1};
  const std::array<std::optional<size_t>, 2> kernels = {0, 1};
  ASSERT_TRUE(batch.reset(which, seeds, kernels, r.seen));
  EXPECT_EQ(batch.kernel(1), 1u);
  const auto stop = static_cast<int64_t>(batch.outputs() - 1);
  EXPECT_EQ(batch.mask(0), (search::ActionSet{1} << stop) | 1);
  const auto step = [&](int64_t a, int64_t b) {
    const std::array<int64_t, 2> actions = {a, b};
    const Status s = batch.step(actions, r.out());
    EXPECT_TRUE(s.ok()) << s.error().message;
  };
  step(0, 5);
  EXPECT_FALSE(r.closed(0));
  EXPECT_TRUE(r.closed(1));
  step(stop, stop);
  EXPECT_TRUE(r.terminated(0) && r.terminated(1));
  EXPECT_NEAR(r.reward[0], std::log(2), 1e-9);
  EXPECT_EQ(r.reward[1], 0);
  step(7, 0);  // both begin again
  EXPECT_EQ(batch.mask(0) & 1, 1u);
  for (int k = 0; k < 12; ++k) {
    EXPECT_FALSE(r.truncated(0));
    step(9, 9);
  }
  EXPECT_TRUE(r.truncated(0) && r.truncated(1));
  const std::array<int64_t, 2> wrong = {0, stop + 1};
  step(0, 0);
  EXPECT_THAT(batch.step(wrong, r.out()).error().message,
              HasSubstr("environment 1: there is no action"));
}

TEST(TransformBatchTest, StrictOnesRefuseClosedActions) {
  const auto made = TransformBatch::make(toy_table(), 1, {search::PolicyKind::kPublished, 3}, true,
                                         Autoreset::kSameStep);
  ASSERT_TRUE(made);
  TransformResults r(**made);
  const size_t which = 0;
  const std::optional<uint64_t> seed = 4;
  ASSERT_TRUE((*made)->reset({&which, 1}, {&seed, 1}, {}, r.seen));
  const int64_t closed = 3, stop = static_cast<int64_t>((*made)->outputs() - 1);
  EXPECT_THAT((*made)->step({&closed, 1}, r.out()).error().message,
              HasSubstr("action 3 is closed"));
  // Kernels are drawn: both come, in the same order for the same seed.
  std::vector<size_t> drawn, again;
  for (auto* to : {&drawn, &again}) {
    ASSERT_TRUE((*made)->reset({&which, 1}, {&seed, 1}, {}, r.seen));
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE((*made)->step({&stop, 1}, r.out()));
      to->push_back((*made)->kernel(0));
    }
  }
  EXPECT_EQ(drawn, again);
  EXPECT_THAT(drawn, testing::AllOf(testing::Contains(0u), testing::Contains(1u)));
  EXPECT_FALSE(TransformBatch::make(toy_table(), 1, {search::PolicyKind::kPublished, 4}, true,
                                    Autoreset::kSameStep));
  EXPECT_FALSE(TransformBatch::make(toy_table(), 0, {search::PolicyKind::kPublished, 3}, true,
                                    Autoreset::kSameStep));
}

TEST(KnobBatchTest, BadOptionsAndFilesAreRefused) {
  EXPECT_FALSE(KnobBatch::make(small_readings(), 0, {}, Autoreset::kNextStep));
  knobs::EnvironmentOptions how;
  how.cases = {9};
  EXPECT_FALSE(KnobBatch::make(small_readings(), 1, how, Autoreset::kNextStep));
  EXPECT_FALSE(read_sweep_file("no-such.csv"));
  EXPECT_FALSE(read_table_file("no-such.table"));
}

}  // namespace
}  // namespace pitot::python
