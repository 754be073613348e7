// The judgement of policies: oracle, searches with budgets, groups of kernels, and splits.
#include "environment/evaluate.h"

#include <algorithm>
#include <sstream>

#include "../search/policy_helpers.h"
#include "environment/split.h"
#include "environment_helpers.h"

namespace pitot::environment {
namespace {

using search::Policy;
using testing::ElementsAre;

const EpisodeRules kRules{PolicyKind::kPublished, 6, false};

EvaluateOptions with_budgets(std::vector<uint64_t> budgets) {
  EvaluateOptions out;
  out.rules = kRules;
  out.budgets = std::move(budgets);
  return out;
}

// Every sequence, one by one.
double brute_force(const RecordedKernel& k, const TableState& at, const EpisodeRules& rules) {
  double best = k.programs[at.program].value.ok() ? k.programs[at.program].level : 1e99;
  const ActionSet open = open_outputs(k, at, rules);
  for (size_t a = 0; a < search::actions_of(rules.kind); ++a)
    if ((open >> a & 1) != 0) best = std::min(best, brute_force(k, after(k, at, a), rules));
  return best;
}

const MethodResult& method(const EvaluationResult& r, const std::string& name, uint64_t budget,
                           bool whole = false) {
  for (const MethodResult& m : r.methods)
    if (m.method == name && m.budget == budget && m.whole == whole) return m;
  ADD_FAILURE() << name << " " << budget;
  return r.methods[0];
}

TEST(Oracle, IsTheBestOfAllSequences) {
  Draws draws(3);
  for (int n = 0; n < 20; ++n) {
    const RecordedKernel k = toy_kernel("k", kToyActions, [&](ActionSet set) {
      if (set != 0 && draws.below(6) == 0) return search::CostValue{0, 0, "no"};
      return search::CostValue{50 + 100 * draws.unit(), draws.unit(), ""};
    });
    for (uint32_t steps : {1u, 2u, 6u}) {
      const EpisodeRules rules{PolicyKind::kPublished, steps, false};
      const Reached best = best_reachable(k, rules);
      EXPECT_EQ(k.programs[best.program].level, brute_force(k, {}, rules));
      TableState at;
      for (Action a : best.sequence) at = after(k, at, static_cast<size_t>(a));
      EXPECT_EQ(at.program, best.program);
      EXPECT_LE(best.sequence.size(), steps);
    }
  }
}

TEST(GreedySequence, StopsBeforeAValley) {
  const RecordedTable table = toy_table(1);
  EXPECT_THAT(greedy_sequence(table.kernels[0], kRules), ElementsAre(Action::kVecLd));
}

TEST(Evaluate, MethodsByHand) {
  const RecordedTable table = toy_table(2);
  const auto r = evaluate(table, {}, with_budgets({6, 1000}));
  ASSERT_TRUE(r.ok()) << r.error().message;
  // vec_ld 0.9, the pair 0.6.
  EXPECT_NEAR(method(*r, "oracle", 0, true).all.mean_change, 0.54 - 1, 1e-9);
  EXPECT_NEAR(method(*r, "greedy", 0, true).all.mean_change, -0.1, 1e-9);
  EXPECT_NEAR(method(*r, "greedy", 1000).all.ratio, std::log(0.9) / std::log(0.54), 1e-9);
  EXPECT_NEAR(method(*r, "beam", 1000).all.mean_change, 0.54 - 1, 1e-9);
  EXPECT_NEAR(method(*r, "random", 1000).all.mean_change, 0.54 - 1, 1e-9);
  EXPECT_LE(method(*r, "beam", 6).all.mean_measured, 6);
  // vec_ld, vec_st, maxnreg_128: the last does not work, and is rolled back.
  const MethodResult& recipe = method(*r, "recipe", 0);
  EXPECT_TRUE(recipe.kernels[0].failed);
  EXPECT_EQ(recipe.kernels[0].gain, 0);
  EXPECT_EQ(r->failed, 2u * 8);
  EXPECT_EQ(method(*r, "oracle", 0, true).all.distinct_sequences, 1u);
  EXPECT_EQ(method(*r, "oracle", 0, true).all.entropy, 0);
}

Policy vec_ld_policy(const std::vector<std::string>& trained_on) {
  Policy p = search::fixed_policy(PolicyKind::kPublished, {{0, 5}, {20, 4}, {14, 3}});
  p.origin.trained_on = trained_on;
  return p;
}

TEST(Evaluate, PoliciesWithAndWithoutMeasuring) {
  const RecordedTable table = toy_table(2);
  const std::vector<Policy> policies{vec_ld_policy({"k0"})};
  const auto r = evaluate(table, policies, with_budgets({3}));
  ASSERT_TRUE(r.ok()) << r.error().message;
  const MethodResult& blind = method(*r, "policy", 0);
  EXPECT_THAT(blind.kernels[0].sequence, ElementsAre("vec_ld"));
  EXPECT_EQ(blind.kernels[0].measured, 0);
  EXPECT_EQ(blind.seen.kernels, 1u);
  EXPECT_EQ(blind.held_out.kernels, 1u);
  EXPECT_TRUE(blind.kernels[1].held_out);
  const MethodResult& ten = method(*r, "policy", 10);
  EXPECT_EQ(ten.kernels[0].measured, 10);
  EXPECT_LE(ten.kernels[0].change, blind.kernels[0].change);
  EXPECT_FALSE(r->same_data);
}

// What is worse than the original is counted as such: nobody measured it.
TEST(Evaluate, ABlindPolicyMayLose) {
  const RecordedTable table = toy_table(1);
  const std::vector<Policy> policies{
      search::fixed_policy(PolicyKind::kPublished, {{14, 5}, {20, 4}})};
  const auto r = evaluate(table, policies, with_budgets({3}));
  EXPECT_NEAR(method(*r, "policy", 0).all.mean_change, 0.2, 1e-9);
  EXPECT_EQ(method(*r, "policy", 0).all.worse, 1u);
}

TEST(Evaluate, EachKernelIsJudgedByAPolicyThatDidNotLearnFromIt) {
  const RecordedTable table = toy_table(2);
  std::vector<Policy> policies{vec_ld_policy({"k0"}),
                               search::fixed_policy(PolicyKind::kPublished, {{20, 9}})};
  policies[1].origin.trained_on = {"k1"};
  const auto r = evaluate(table, policies, with_budgets({3}));
  ASSERT_TRUE(r.ok());
  EXPECT_TRUE(method(*r, "policy", 0).kernels[0].sequence.empty());
  EXPECT_THAT(method(*r, "policy", 0).kernels[1].sequence, ElementsAre("vec_ld"));
  EXPECT_EQ(method(*r, "policy", 0).held_out.kernels, 2u);
  EXPECT_EQ(method(*r, "policy", 0).all.distinct_sequences, 2u);
  EXPECT_NEAR(method(*r, "policy", 0).all.entropy, std::log(2), 1e-12);
}

TEST(Evaluate, HeldOutKernelsMustNotHaveBeenLearnedFrom) {
  const RecordedTable table = toy_table(2);
  const std::vector<Policy> policies{vec_ld_policy({"k0", "k1"})};
  EvaluateOptions options = with_budgets({3});
  options.held_out = {"k1"};
  EXPECT_THAT(evaluate(table, policies, options).error().message,
              HasSubstr("k1 is held out, and the policy has learned from it"));
  options.held_out = {"k7"};
  EXPECT_THAT(evaluate(table, {}, options).error().message, HasSubstr("no such kernel"));
  options.held_out = {"k1"};
  const auto r = evaluate(table, {}, options);
  EXPECT_EQ(method(*r, "oracle", 0, true).held_out.kernels, 1u);
  options.rules.kind = PolicyKind::kWide;
  EXPECT_THAT(evaluate(table, {}, options).error().message, HasSubstr("published actions only"));
  RecordedTable wide = toy_table(2);
  wide.kind = PolicyKind::kWide;
  EXPECT_THAT(evaluate(wide, policies, options).error().message, HasSubstr("a published policy"));
}

TEST(Evaluate, TheSameArgumentsGiveTheSame) {
  const RecordedTable table = toy_table(3);
  const std::vector<Policy> policies{{search::random_network(PolicyKind::kPublished, 4), {}}};
  const EvaluateOptions options = with_budgets({4, 8});
  const auto a = evaluate(table, policies, options), b = evaluate(table, policies, options);
  for (size_t m = 0; m < a->methods.size(); ++m)
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(a->methods[m].kernels[k].gain, b->methods[m].kernels[k].gain);
      EXPECT_EQ(a->methods[m].kernels[k].sequence, b->methods[m].kernels[k].sequence);
    }
}

TEST(Split, FoldsHoldEachKernelOutOnce) {
  const RecordedTable table = toy_table(10);
  const auto folds = folds_of(table, 3, 1);
  ASSERT_TRUE(folds.ok());
  std::vector<std::string> all;
  for (const auto& f : *folds) {
    EXPECT_GE(f.size(), 3u);
    all.insert(all.end(), f.begin(), f.end());
    EXPECT_EQ(kernels_without(table, f)->size(), 10 - f.size());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), 10u);
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(*folds_of(table, 3, 1), *folds);
  EXPECT_NE(*folds_of(table, 3, 2), *folds);
  EXPECT_FALSE(folds_of(table, 1, 1).ok());
  EXPECT_FALSE(folds_of(table, 11, 1).ok());
  EXPECT_FALSE(kernels_without(table, {"nope"}).ok());
  EXPECT_FALSE(kernels_without(toy_table(1), {"k0"}).ok());
}

// The split that is fixed beforehand: half of gemm_tile, by parity, each of its 64 variants known.
TEST(Split, TheFixedSplitsNameVariantsOfTheFamily) {
  for (const auto& [file, count] :
       {std::pair{"gemm_tile_half.txt", 32}, {"gemm_tile_large.txt", 16}}) {
    const auto text = read_file(std::string(PITOT_SOURCE_DIR "/data/splits/") + file);
    ASSERT_TRUE(text.ok());
    std::set<std::string> names;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] == '#') continue;
      int m = 0, n = 0, k = 0;
      ASSERT_EQ(std::sscanf(line.c_str(), "M%d_N%d_K%d", &m, &n, &k), 3) << line;
      for (int d : {m, n, k}) EXPECT_TRUE(d == 2 || d == 4 || d == 6 || d == 8) << line;
      names.insert(line);
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(count));
  }
}

}  // namespace
}  // namespace pitot::environment
