// Noise and failures never lead to a program that is worse.
#include <cmath>

#include "search_helpers.h"

namespace pitot::search {
namespace {

using testing::ElementsAre;

SearchOptions few(Method m) {
  SearchOptions options;
  options.method = m;
  options.max_steps = 3;
  options.budget = 1000;
  options.width = 10;
  options.allowed = kFew;
  return options;
}

TEST(SearchNoise, WhatIsWithinNoiseOfTheOriginalIsNotTaken) {
  for (Method m : kMethods) {
    TextCost cost([](std::string_view t) {
      return CostValue{100.0 - static_cast<double>(scattered(t).cost) / 1000, 0.5, ""};
    });
    const SearchResult r = found(saxpy(), few(m), cost);
    EXPECT_FALSE(r.improved) << to_string(m);
    EXPECT_THAT(r.best.sequence, ElementsAre());
    EXPECT_EQ(r.best_text, saxpy().text);
    EXPECT_EQ(r.best.hash, r.baseline.hash);
  }
}

// True costs are off by less than the noise that is stated.
TEST(SearchNoise, TheChosenProgramIsTrulyBetter) {
  auto truth = [](std::string_view t) { return 100.0 + (scattered(t).cost - 500) / 100; };
  size_t improved = 0;
  for (Method m : kMethods)
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      TextCost cost([&](std::string_view t) {
        const double off = static_cast<double>(hash_bytes(t, seed).low % 1000) / 500 - 1;
        return CostValue{truth(t) + 1.5 * off, 1.5, ""};
      });
      const SearchResult r = found(saxpy(), few(m), cost);
      improved += r.improved;
      if (r.improved) {
        EXPECT_LT(truth(r.best_text), truth(saxpy().text));
      } else {
        EXPECT_EQ(r.best_text, saxpy().text);
      }
    }
  EXPECT_GT(improved, 8u);
}

TEST(SearchNoise, OfThoseThatCannotBeToldApartTheShortestIsTaken) {
  for (Method m : {Method::kRandom, Method::kBeam, Method::kExhaustive}) {
    TextCost cost([](std::string_view t) {
      return CostValue{100.0 - (limited(t) ? 20 : 0) - (streams(t) ? 1 : 0), 1, ""};
    });
    const SearchResult r = found(saxpy(), few(m), cost);
    EXPECT_THAT(r.best.sequence, ElementsAre("maxnreg_64")) << to_string(m);
    EXPECT_EQ(r.best.cost, 80);
  }
}

TEST(SearchNoise, ACertainGainIsTakenWhereTheLowestIsNone) {
  TextCost cost([](std::string_view t) {
    if (written_through(t)) return CostValue{50, 60, ""};
    return CostValue{limited(t) ? 90.0 : 100.0, 1, ""};
  });
  const SearchResult r = found(saxpy(), few(Method::kExhaustive), cost);
  EXPECT_TRUE(r.improved);
  EXPECT_THAT(r.best.sequence, ElementsAre("maxnreg_64"));
}

TEST(SearchNoise, FailuresAreNeverBestAndNotContinued) {
  for (Method m : kMethods) {
    TextCost cost([](std::string_view t) {
      if (limited(t)) return CostValue{-1000, 0, "computes something else"};
      if (has(t, ".maxnreg 128")) return CostValue{std::nan(""), 0, ""};
      return CostValue{100.0 - (written_through(t) ? 5 : 0), 0, ""};
    });
    const SearchResult r = found(saxpy(), few(m), cost);
    EXPECT_THAT(r.best.sequence, ElementsAre("st_cache_wt")) << to_string(m);
    size_t failed = 0;
    for (const ProgramRecord& p : r.programs) {
      failed += !p.failure.empty();
      if (p.sequence == std::vector<std::string>{"maxnreg_64"}) {
        EXPECT_EQ(p.failure, "computes something else");
      }
      if (p.sequence == std::vector<std::string>{"maxnreg_128"}) {
        EXPECT_EQ(p.failure, "the cost is not a number");
      }
      if (m == Method::kRandom) continue;  // it does not go by costs
      for (size_t k = 0; k + 1 < p.sequence.size(); ++k)
        EXPECT_NE(p.sequence[k].substr(0, 7), "maxnreg");
    }
    EXPECT_GE(failed, 2u);
  }
}

TEST(SearchNoise, AnOriginalWithoutACostIsAnError) {
  TextCost cost([](std::string_view) { return CostValue{0, 0, "it faults"}; });
  const auto r = search(saxpy(), {}, cost);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, testing::HasSubstr("the original has no cost: it faults"));
}

TEST(SearchNoise, ACostThatLosesValuesIsAnError) {
  class Short : public Cost {
    Result<std::vector<CostValue>> evaluate(std::span<const std::string_view>) override {
      return std::vector<CostValue>{};
    }
  } cost;
  const auto r = search(saxpy(), {}, cost);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "the cost gave 0 values for 1 programs");
}

// Of the programs with one image all are rejected with the first.
TEST(SearchNoise, TheNextBestIsAnotherImage) {
  // 100 for the original; 60 and 61 of one image, 70 and 80 of others.
  TextCost cost([](std::string_view t) -> CostValue {
    if (streams(t) && limited(t)) return {61, 0, "", "best"};
    if (streams(t)) return {60, 0, "", "best"};
    if (limited(t)) return {70, 0, "", "limited"};
    if (written_through(t)) return {80, 0, "", "through"};
    return {100, 0, "", "original"};
  });
  SearchOptions options;
  options.method = Method::kExhaustive;
  options.max_steps = 2;
  options.allowed = {Action::kCacheCs, Action::kMaxnreg64, Action::kStCacheWt};
  SearchResult r = found(saxpy(), options, cost);
  EXPECT_EQ(r.images, 4u);
  EXPECT_EQ(r.best.cost, 60);
  std::set<size_t> rejected;
  std::vector<double> costs;
  while (r.improved) {
    costs.push_back(r.best.cost);
    rejected.insert(r.best_number);
    ASSERT_TRUE(take_next_best(saxpy(), rejected, r).ok());
  }
  EXPECT_EQ(costs, (std::vector<double>{60, 70, 80}));
  EXPECT_EQ(r.best.cost, 100);
  EXPECT_EQ(r.best_text, saxpy().text);
  EXPECT_EQ(r.best_number, 0u);
}

}  // namespace
}  // namespace pitot::search
