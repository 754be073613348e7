// Recorded from a real kernel: the table is what the searches and the live environment meet.
#include <map>

#include "environment/evaluate.h"
#include "environment/live_environment.h"
#include "environment/table_graph.h"
#include "environment_helpers.h"
#include "search/methods.h"
#include "support/draws.h"

namespace pitot::environment {
namespace {

TEST(RecordKernel, HasEveryProgramOfTheLogAndItsBest) {
  ScatteredCost cost;
  const std::string log = exhaustive_log(cost, 3);
  const search::History values = values_of(log);
  const RecordedKernel k = recorded_saxpy(log, 3);
  EXPECT_EQ(k.programs.size(), values.values.size());
  double least = 1e9;
  size_t failed = 0;
  for (const RecordedProgram& p : k.programs) {
    const auto& logged = values.values.at(p.hash);
    EXPECT_EQ(p.value.failure, logged.failure);
    failed += !logged.ok();
    if (!logged.ok()) continue;
    EXPECT_EQ(p.value.cost, logged.cost);
    least = std::min(least, p.level);
  }
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(k.unmeasured, 0u);
  const Reached best = best_reachable(k, {PolicyKind::kWide, 3, false});
  EXPECT_EQ(k.programs[best.program].level, least);
}

// Observation, mask and reward of random episodes are those of the kernel itself.
TEST(RecordKernel, EpisodesAreThoseOfTheLiveKernel) {
  ScatteredCost cost;
  RecordedTable table;
  table.max_steps = 3;
  table.kernels.push_back(recorded_saxpy(exhaustive_log(cost, 3), 3));
  for (PolicyKind kind : {PolicyKind::kPublished, PolicyKind::kWide}) {
    TableEnvironment recorded(table, {kind, 3, false});
    LiveEnvironment live({saxpy()}, cost, kind, 3);
    Draws draws(11);
    int whole = 0;
    for (int episode = 0; episode < 60; ++episode) {
      auto a = recorded.reset(0, 0), b = live.reset(0, 0);
      ASSERT_TRUE(a.ok() && b.ok());
      Observation seen = *a, there = *b;
      for (;;) {
        ASSERT_EQ(std::vector<float>(seen.input.begin(), seen.input.end()),
                  std::vector<float>(there.input.begin(), there.input.end()));
        ASSERT_EQ(seen.mask, there.mask);
        std::vector<size_t> open;
        for (size_t k = 0; k < search::outputs_of(kind); ++k)
          if ((seen.mask >> k & 1) != 0) open.push_back(k);
        const size_t output = open[draws.below(open.size())];
        const auto x = recorded.step(output), y = live.step(output);
        ASSERT_TRUE(x.ok() && y.ok());
        ASSERT_EQ(x->done, y->done);
        if (x->done) {
          // A level is no further from the cost than the intervals are wide.
          EXPECT_NEAR(x->reward, y->reward, 0.012);
          ++whole;
          break;
        }
        // What follows a failure was not recorded; live it is only known at the end.
        if (!table.kernels[0].programs[recorded.state().program].value.ok()) break;
        seen = x->observation;
        there = y->observation;
      }
    }
    EXPECT_GT(whole, 30);
  }
}

// The searches do the same on the table as on the kernel. (Random search draws from other lists:
// on the kernel it goes on behind failures, and meets actions that change the text and not the
// program.)
TEST(TableGraph, SearchesFindTheSameOnTheTable) {
  ScatteredCost cost;
  const RecordedKernel k = recorded_saxpy(exhaustive_log(cost, 3), 3);
  for (search::Method m :
       {search::Method::kGreedy, search::Method::kBeam, search::Method::kExhaustive}) {
    search::SearchOptions options;
    options.method = m;
    options.max_steps = 3;
    options.budget = 60;
    const auto real = search::search(saxpy(), options, cost);
    ASSERT_TRUE(real.ok());
    TableGraph graph(k, {PolicyKind::kWide, 3, false});
    TableCost recorded(k);
    const search::History history;
    const search::LogSink sink;
    search::Judged judged(options, recorded, history, sink);
    const search::State original = *graph.original();
    ASSERT_TRUE(judged.judge({&original, 1}).ok());
    ASSERT_TRUE(run_method(original, options, graph, judged).ok());
    ASSERT_EQ(judged.programs().size(), real->programs.size()) << to_string(m);
    for (size_t p = 0; p < real->programs.size(); ++p) {
      EXPECT_EQ(judged.programs()[p].hash.hex(), real->programs[p].hash);
      EXPECT_EQ(search::names_of(judged.programs()[p].sequence), real->programs[p].sequence);
    }
  }
}

TEST(RecordKernel, WaysToWhatWasNotMeasuredAreClosedAndCounted) {
  ScatteredCost cost;
  const std::string log = exhaustive_log(cost, 3, 40);
  const RecordedKernel k = recorded_saxpy(log, 3);
  EXPECT_EQ(k.programs.size(), 40u);
  EXPECT_GT(k.unmeasured, 0u);
  for (const RecordedProgram& p : k.programs)
    for (uint32_t to : p.to) EXPECT_TRUE(to == kNowhere || to < 40);
}

TEST(RecordKernel, PublishedTablesHaveNoOtherActions) {
  ScatteredCost cost;
  const RecordedKernel k = recorded_saxpy(exhaustive_log(cost, 2), 2, PolicyKind::kPublished);
  for (const RecordedProgram& p : k.programs)
    for (size_t a = transform::kPublishedActions; a < transform::kActions; ++a)
      EXPECT_EQ(p.to[a], kNowhere);
}

TEST(RecordKernel, CostsWithoutALogarithmAreRefused) {
  ScatteredCost cost;
  search::History values = values_of(exhaustive_log(cost, 1));
  for (auto& [hash, value] : values.values)
    if (value.ok()) value.cost = 0;
  EXPECT_THAT(record_kernel("x", saxpy(), values, PolicyKind::kWide, 1).error().message,
              HasSubstr("which has no logarithm"));
}

TEST(RecordKernel, TheOriginalMustHaveACost) {
  ScatteredCost cost;
  search::History values = values_of(exhaustive_log(cost, 1));
  values.values.erase(search::program_hash(saxpy()));
  EXPECT_THAT(record_kernel("x", saxpy(), values, PolicyKind::kWide, 1).error().message,
              HasSubstr("x: the log has no cost of the original"));
}

TEST(RecordKernel, ProgramsOfOneImageHaveOneCost) {
  ScatteredCost cost;
  search::History values = values_of(exhaustive_log(cost, 1));
  size_t shared = 0;
  double sum = 0;
  for (auto& [hash, v] : values.values)
    if (v.ok() && shared < 2) {
      v.image = "same";
      v.noise = static_cast<double>(++shared);
      sum += v.cost;
    }
  ASSERT_EQ(shared, 2u);
  const auto k = record_kernel("saxpy", saxpy(), values, PolicyKind::kWide, 1);
  ASSERT_TRUE(k.ok());
  size_t met = 0;
  for (const RecordedProgram& p : k->programs) {
    if (p.image == kNowhere) continue;
    ++met;
    EXPECT_DOUBLE_EQ(p.value.cost, sum / 2);
    EXPECT_EQ(p.value.noise, 2);
  }
  EXPECT_EQ(met, 2u);
}

}  // namespace
}  // namespace pitot::environment
