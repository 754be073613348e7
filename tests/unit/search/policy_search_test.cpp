// Following a policy, and measuring its most probable programs.
#include "search/policy_search.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "policy_helpers.h"
#include "search/space.h"

namespace pitot::search {
namespace {

using testing::ElementsAre;

constexpr size_t kStop = 20;
size_t output(Action a) { return static_cast<size_t>(a); }

TEST(FollowPolicy, TakesTheLikeliestThatIsOpenUntilStop) {
  const Policy policy = fixed_policy(PolicyKind::kPublished, {{output(Action::kCacheCs), 5},
                                                              {output(Action::kCacheCg), 4.5f},
                                                              {output(Action::kMaxnreg64), 3},
                                                              {kStop, 2}});
  const Kernel kernel = saxpy();
  std::vector<PolicyStep> steps;
  const auto r = follow_policy(policy, kernel, 6, &steps);
  ASSERT_TRUE(r.ok()) << r.error().message;
  // After cache_cs no other operator of its group may follow.
  EXPECT_THAT(r->best.sequence, ElementsAre("cache_cs", "maxnreg_64"));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].second, "cache_cg");
  EXPECT_EQ(steps[1].second, "stop");
  EXPECT_EQ(steps[2].action, "stop");
  EXPECT_TRUE(streams(r->best_text) && limited(r->best_text));
  EXPECT_TRUE(r->improved);
  EXPECT_EQ(r->evaluations, 0u);
  const auto once = follow_policy(policy, kernel, 1, &steps);
  EXPECT_THAT(once->best.sequence, ElementsAre("cache_cs"));
  EXPECT_EQ(steps.size(), 1u);
}

TEST(FollowPolicy, StopsAtOnceWhereThatIsLikeliest) {
  const auto r =
      follow_policy(fixed_policy(PolicyKind::kPublished, {{kStop, 9}}), saxpy(), 6, nullptr);
  EXPECT_TRUE(r->best.sequence.empty());
  EXPECT_FALSE(r->improved);
  EXPECT_EQ(r->best_text, saxpy().text);
}

// All sequences' probabilities, worked out one by one.
void all_sequences(const Policy& policy, const State& at, Space& space, double log_probability,
                   uint32_t steps, std::map<Hash128, double>& best) {
  const auto view = view_of(policy, at, space, steps);
  const double whole = log_probability + std::log(view->probabilities.back());
  const auto [it, fresh] = best.emplace(at.text->program, whole);
  if (!fresh) it->second = std::max(it->second, whole);
  for (const State& s : view->next)
    all_sequences(
        policy, s, space,
        log_probability + std::log(view->probabilities[static_cast<size_t>(s.sequence.back())]),
        steps, best);
}

TEST(PolicySearch, ProgramsComeInTheOrderOfTheirProbability) {
  const Kernel kernel = saxpy();
  const Policy policy{random_network(PolicyKind::kPublished, 5, 0.3f), {}};
  Space space(kernel, SearchOptions{});
  const State original = *space.original();
  std::map<Hash128, double> best;
  all_sequences(policy, original, space, 0, 2, best);
  ASSERT_GT(best.size(), 20u);

  TextCost cost(scattered);
  SearchOptions options;
  options.budget = 15;
  options.max_steps = 2;
  const auto r = search_by_policy(kernel, policy, options, cost);
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->programs.size(), 15u);
  EXPECT_EQ(cost.asked, 15u);
  EXPECT_EQ(cost.repeated, 0u);
  std::map<std::string, double> by_hex;
  for (const auto& [hash, p] : best) by_hex[hash.hex()] = p;
  std::vector<double> taken;
  for (size_t k = 1; k < r->programs.size(); ++k) taken.push_back(by_hex.at(r->programs[k].hash));
  EXPECT_TRUE(std::is_sorted(taken.rbegin(), taken.rend()));
  by_hex.erase(original.text->program.hex());
  std::vector<double> expected;
  for (const auto& [hash, p] : by_hex) expected.push_back(p);
  std::sort(expected.rbegin(), expected.rend());
  for (size_t k = 0; k < taken.size(); ++k) EXPECT_NEAR(taken[k], expected[k], 1e-9) << k;
}

TEST(PolicySearch, ABudgetOfOneIsTheOriginal) {
  TextCost cost(scattered);
  SearchOptions options;
  options.budget = 1;
  const auto r =
      search_by_policy(saxpy(), {random_network(PolicyKind::kWide, 2), {}}, options, cost);
  EXPECT_EQ(r->evaluations, 1u);
  EXPECT_FALSE(r->improved);
}

TEST(PolicySearch, ItEndsWithTheProgramsThereAre) {
  Kernel kernel = saxpy();
  TextCost cost(scattered), all(scattered);
  SearchOptions options;
  options.budget = 100000;
  options.max_steps = 1;
  const auto r =
      search_by_policy(kernel, {random_network(PolicyKind::kWide, 2), {}}, options, cost);
  options.method = Method::kExhaustive;
  EXPECT_EQ(r->evaluations, found(kernel, options, all).evaluations);
  EXPECT_FALSE(r->budget_spent);
}

}  // namespace
}  // namespace pitot::search
