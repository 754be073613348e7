// Budgets to the program, and searches that are ended and go on.
#include "search_helpers.h"

namespace pitot::search {
namespace {

SearchOptions with(Method m, uint64_t budget, uint32_t batch = 7) {
  SearchOptions options;
  options.method = m;
  options.budget = budget;
  options.max_steps = 3;
  options.batch = batch;
  options.allowed = kFew;
  return options;
}

TEST(SearchBudget, IsKeptToTheProgram) {
  for (Method m : kMethods) {
    TextCost all(scattered);
    const SearchResult whole = found(saxpy(), with(m, 100000), all);
    EXPECT_FALSE(whole.budget_spent);
    EXPECT_GT(whole.evaluations, 5u);
    for (uint64_t budget : {uint64_t{1}, uint64_t{2}, uint64_t{5}, whole.evaluations - 1,
                            whole.evaluations, whole.evaluations + 1}) {
      TextCost cost(scattered);
      const SearchResult r = found(saxpy(), with(m, budget), cost);
      EXPECT_EQ(r.evaluations, std::min(budget, whole.evaluations)) << to_string(m);
      EXPECT_EQ(cost.asked, r.evaluations);
      EXPECT_EQ(cost.repeated, 0u);
      EXPECT_EQ(r.programs.size(), r.evaluations);
      EXPECT_EQ(r.budget_spent, budget < whole.evaluations) << to_string(m) << " " << budget;
      EXPECT_LE(cost.largest, 7u);
    }
  }
}

TEST(SearchBudget, TheBatchMakesNoDifference) {
  for (Method m : kMethods)
    for (uint64_t budget : {9u, 1000u}) {
      TextCost one(scattered), many(scattered);
      EXPECT_EQ(to_text(found(saxpy(), with(m, budget, 1), one)),
                to_text(found(saxpy(), with(m, budget, 1000), many)))
          << to_string(m);
      EXPECT_EQ(one.calls, one.asked);
      EXPECT_LT(many.calls, one.calls);
    }
}

TEST(SearchBudget, TheWorkersMakeNoDifference) {
  for (Method m : kMethods) {
    SearchOptions options = with(m, 60);
    TextCost alone(scattered);
    const std::string expected = to_text(found(saxpy(), options, alone));
    for (unsigned workers : {2u, 7u, 0u}) {
      options.workers = workers;
      TextCost cost(scattered);
      EXPECT_EQ(to_text(found(saxpy(), options, cost)), expected) << to_string(m) << workers;
    }
  }
}

// Told to stop after so many calls of the cost: what they gave is kept, and nothing else is there.
TEST(SearchBudget, EndsWhenItIsToldToWithWhatItHas) {
  for (Method m : kMethods)
    for (size_t calls : {1u, 2u, 3u}) {
      TextCost cost(scattered);
      SearchOptions options = with(m, 100000, 4);
      options.stop = [&] { return cost.calls >= calls; };
      const SearchResult r = found(saxpy(), options, cost);
      EXPECT_TRUE(r.stopped) << to_string(m);
      EXPECT_FALSE(r.budget_spent);
      EXPECT_EQ(cost.calls, calls);
      EXPECT_EQ(r.programs.size(), cost.asked);
      EXPECT_EQ(r.evaluations, cost.asked);
      for (const ProgramRecord& p : r.programs) EXPECT_GE(p.cost, 0);
    }
}

TEST(SearchBudget, WhatIsKeptMakesNoDifference) {
  for (Method m : kMethods) {
    SearchOptions options = with(m, 40);
    TextCost kept(scattered), forgotten(scattered);
    const std::string expected = to_text(found(saxpy(), options, kept));
    options.keep_bytes = 0;
    EXPECT_EQ(to_text(found(saxpy(), options, forgotten)), expected);
  }
}

// Ended after any number of programs, and gone on with what the log has.
TEST(SearchBudget, GoesOnFromTheLogWithoutAskingTwice) {
  const LogHead head{program_hash(saxpy()), "scattered"};
  for (Method m : kMethods) {
    const SearchOptions options = with(m, 20, 3);
    TextCost straight(scattered);
    const std::string expected = to_text(found(saxpy(), options, straight));
    for (size_t end : {0u, 1u, 4u, 11u, 20u}) {
      TextCost cost(scattered);
      cost.breaks_at = end;
      std::string log = log_head(head);
      const LogSink sink = [&](const Evaluation& e) { log += log_line(e); };
      const auto ended = search(saxpy(), options, cost, {}, sink);
      if (end < straight.asked) {
        ASSERT_FALSE(ended.ok());
        EXPECT_EQ(ended.error().message, "the GPU is gone");
      }
      auto history = read_log(log, head);
      ASSERT_TRUE(history.ok()) << history.error().message;
      const size_t known = history->values.size();
      EXPECT_LE(known, end);
      EXPECT_GE(known + options.batch, std::min(end, straight.asked));

      TextCost rest(scattered);
      const SearchResult r = found(saxpy(), options, rest, *history, sink);
      EXPECT_EQ(to_text(r), expected) << to_string(m) << " ended after " << end;
      EXPECT_EQ(r.remembered, known);
      EXPECT_EQ(rest.asked + known, straight.asked);

      // The log has all now.
      TextCost none(scattered);
      none.breaks_at = 0;
      history = read_log(log, head);
      ASSERT_TRUE(history.ok()) << history.error().message;
      EXPECT_EQ(to_text(found(saxpy(), options, none, *history)), expected);
    }
  }
}

TEST(SearchBudget, OptionsOutOfRangeAreErrors) {
  TextCost cost(scattered);
  SearchOptions options;
  options.budget = 0;
  EXPECT_FALSE(search(saxpy(), options, cost).ok());
  options = {};
  options.batch = 0;
  EXPECT_FALSE(search(saxpy(), options, cost).ok());
  options = {};
  options.width = 0;
  EXPECT_FALSE(search(saxpy(), options, cost).ok());
  EXPECT_EQ(cost.asked, 0u);
}

TEST(SearchBudget, KernelsWithErrorsAreRefused) {
  TextCost cost(scattered);
  Kernel kernel = saxpy();
  kernel.name = "nobody";
  EXPECT_FALSE(search(kernel, {}, cost).ok());
  kernel = saxpy();
  kernel.text.replace(kernel.text.find("%f4, %f2"), 3, "%rd4");
  const auto r = search(kernel, {}, cost);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, testing::HasSubstr("saxpy.sm90.ptx:50: "));
  EXPECT_EQ(cost.asked, 0u);
}

}  // namespace
}  // namespace pitot::search
