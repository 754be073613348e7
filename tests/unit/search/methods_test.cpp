// Every method finds the optimum where it has to, and shows what it cannot find.
#include <map>

#include "search_helpers.h"
#include "transform/apply.h"

namespace pitot::search {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// Each of three choices is good by itself.
CostValue additive(std::string_view t) {
  return {100.0 - (streams(t) ? 10 : 0) - (limited(t) ? 20 : 0) - (written_through(t) ? 5 : 0), 0,
          ""};
}

// Two choices are bad alone and good together.
CostValue valley(std::string_view t) {
  const int n = limited(t) + written_through(t);
  return {n == 2 ? 50.0 : 100.0 + 5 * n, 0, ""};
}

TEST(SearchMethods, AllFindWhatIsGoodByItself) {
  for (Method m : kMethods) {
    TextCost cost(additive);
    SearchOptions options;
    options.method = m;
    options.budget = 500;
    options.max_steps = 3;
    options.allowed = kFew;
    const SearchResult r = found(saxpy(), options, cost);
    EXPECT_EQ(r.best.cost, 65) << to_string(m);
    EXPECT_EQ(r.baseline.cost, 100);
    EXPECT_TRUE(r.improved);
    EXPECT_THAT(r.best.sequence, UnorderedElementsAre("cache_cs", "st_cache_wt", "maxnreg_64"));
    EXPECT_EQ(additive(r.best_text).cost, 65);
    EXPECT_EQ(program_hash({"k.ptx", r.best_text, "saxpy", {}}).hex(), r.best.hash);
    EXPECT_EQ(cost.repeated, 0u);
    EXPECT_TRUE(r.faults.empty());
  }
}

TEST(SearchMethods, GreedyTakesTheBestFirstAndStopsWhenNoneIsBetter) {
  TextCost cost(additive);
  SearchOptions options;
  options.allowed = kFew;
  const SearchResult r = found(saxpy(), options, cost);
  EXPECT_THAT(r.best.sequence, ElementsAre("maxnreg_64", "cache_cs", "st_cache_wt"));
  EXPECT_FALSE(r.budget_spent);
  for (const ProgramRecord& p : r.programs) EXPECT_LE(p.sequence.size(), 4u);
}

TEST(SearchMethods, GreedyStaysBeforeAValleyAndTheOthersCrossIt) {
  for (Method m : kMethods) {
    TextCost cost(valley);
    SearchOptions options;
    options.method = m;
    options.budget = 500;
    options.max_steps = 3;
    options.width = 10;  // all that one action leads to
    options.allowed = kFew;
    const SearchResult r = found(saxpy(), options, cost);
    if (m == Method::kGreedy) {
      EXPECT_FALSE(r.improved);
      EXPECT_THAT(r.best.sequence, ElementsAre());
      EXPECT_EQ(r.best_text, saxpy().text);
    } else {
      EXPECT_EQ(r.best.cost, 50) << to_string(m);
      EXPECT_THAT(r.best.sequence, UnorderedElementsAre("st_cache_wt", "maxnreg_64"));
    }
  }
}

TEST(SearchMethods, ANarrowBeamLosesTheWayThroughTheValley) {
  SearchOptions options;
  options.method = Method::kBeam;
  options.width = 1;
  options.max_steps = 2;
  options.allowed = {Action::kCacheCs, Action::kStCacheWt, Action::kMaxnreg64};
  TextCost narrow(valley), wide(valley);
  EXPECT_FALSE(found(saxpy(), options, narrow).improved);
  options.width = 3;
  EXPECT_TRUE(found(saxpy(), options, wide).improved);
}

// Against all legal sequences, applied one by one.
TEST(SearchMethods, ExhaustiveHasEveryProgramAndItsShortestSequence) {
  for (const Kernel& kernel :
       {saxpy(), real_kernel("cuda/gemm_vectorised/gemm_vectorised.sm80.ptx", "gemm_vectorised")}) {
    SearchOptions options;
    options.method = Method::kExhaustive;
    options.budget = 100000;
    options.max_steps = 3;
    options.allowed = {Action::kVecLd,     Action::kSplitLd,   Action::kCacheCs,  Action::kCacheCg,
                       Action::kStCacheWt, Action::kMaxnreg64, Action::kReorderLf};
    std::map<std::string, size_t> shortest;
    std::vector<std::vector<Action>> sequences{{}};
    for (size_t k = 0; k < sequences.size(); ++k) {
      auto done = transform::apply_sequence(kernel.path, kernel.text, kernel.name, sequences[k],
                                            kernel.assumptions);
      ASSERT_TRUE(done.ok()) << done.error().message;
      shortest.emplace(program_hash({kernel.path, done->text, kernel.name, {}}).hex(),
                       sequences[k].size());
      if (sequences[k].size() == options.max_steps) continue;
      for (Action a : options.allowed) {
        std::vector<Action> longer = sequences[k];
        bool legal = true;
        for (Action e : longer) legal = legal && transform::can_follow(e, a);
        longer.push_back(a);
        if (legal) sequences.push_back(longer);
      }
    }
    TextCost cost(scattered);
    const SearchResult r = found(kernel, options, cost);
    std::map<std::string, size_t> got;
    double least = 1e9;
    size_t last = 0;
    for (const ProgramRecord& p : r.programs) {
      got[p.hash] = p.sequence.size();
      least = std::min(least, p.cost);
      EXPECT_LE(last, p.sequence.size());
      last = p.sequence.size();
    }
    EXPECT_EQ(got, shortest) << kernel.name;
    EXPECT_EQ(r.programs.size(), got.size());
    EXPECT_EQ(r.best.cost, least);
    EXPECT_LT(got.size(), sequences.size());
    EXPECT_EQ(cost.repeated, 0u);
  }
}

TEST(SearchMethods, SequencesThatGiveAProgramAreCounted) {
  SearchOptions options;
  options.method = Method::kExhaustive;
  options.max_steps = 3;
  options.allowed = {Action::kCacheCs, Action::kStCacheWt, Action::kMaxnreg64, Action::kMaxnreg128};
  TextCost cost(scattered);
  const SearchResult r = found(saxpy(), options, cost);
  // {} + 4 + {cs,wt} {cs,64} {cs,128} {wt,64} {wt,128} + {cs,wt,64} {cs,wt,128}
  ASSERT_EQ(r.programs.size(), 12u);
  for (const ProgramRecord& p : r.programs) {
    constexpr uint64_t kOrders[] = {1, 1, 2, 6};
    EXPECT_EQ(p.sequences, kOrders[p.sequence.size()]);
  }
}

TEST(SearchMethods, SaysWhichActionsCanBeToldApart) {
  SearchOptions options;
  options.method = Method::kExhaustive;
  options.max_steps = 1;
  options.allowed = {Action::kVecLd, Action::kCacheCs};
  TextCost cost(scattered);
  const SearchResult r = found(saxpy(), options, cost);
  ASSERT_EQ(r.actions.size(), 2u);
  EXPECT_EQ(r.actions[0].action, "vec_ld");  // one load a buffer
  EXPECT_EQ(r.actions[0].tried, 1u);
  EXPECT_EQ(r.actions[0].differs, 0u);
  EXPECT_EQ(r.actions[1].action, "cache_cs");
  EXPECT_EQ(r.actions[1].tried, 1u);
  EXPECT_EQ(r.actions[1].differs, 1u);
  EXPECT_EQ(cost.asked, 2u);
}

TEST(SearchMethods, RandomIsBySeed) {
  SearchOptions options;
  options.method = Method::kRandom;
  options.budget = 12;
  TextCost a(scattered), b(scattered), c(scattered);
  const std::string first = to_text(found(saxpy(), options, a));
  EXPECT_EQ(first, to_text(found(saxpy(), options, b)));
  options.seed = 2;
  EXPECT_NE(first, to_text(found(saxpy(), options, c)));
}

TEST(SearchMethods, RandomEndsWhenThereIsNothingNew) {
  SearchOptions options;
  options.method = Method::kRandom;
  options.budget = 1000;
  options.allowed = {Action::kCacheCs, Action::kStCacheWt, Action::kMaxnreg64};
  TextCost cost(scattered);
  const SearchResult r = found(saxpy(), options, cost);
  EXPECT_EQ(r.evaluations, 8u);
  EXPECT_FALSE(r.budget_spent);
}

TEST(SearchMethods, NoStepsIsTheOriginal) {
  for (Method m : kMethods) {
    SearchOptions options;
    options.method = m;
    options.max_steps = 0;
    TextCost cost(additive);
    const SearchResult r = found(saxpy(), options, cost);
    EXPECT_EQ(r.evaluations, 1u);
    EXPECT_EQ(r.best_text, saxpy().text);
  }
}

}  // namespace
}  // namespace pitot::search
