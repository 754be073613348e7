// Judges policies on a recorded table, beside searches with the same budgets and the best that any
// sequence reaches.
#pragma once

#include <vector>

#include "environment/evaluation_result.h"
#include "environment/table_environment.h"
#include "search/policy_file.h"

namespace pitot::environment {

struct EvaluateOptions {
  EpisodeRules rules;
  // Programs that each method may measure, the original among them.
  std::vector<uint64_t> budgets{10, 25, 50, 100, 200};
  uint64_t policy_budget = 10;  // of the policy, besides none
  uint32_t width = 4;           // of the beam
  uint64_t random_runs = 20;    // random searches, whose gains are averaged
  uint64_t seed = 1;
  std::vector<transform::Action> recipe{transform::Action::kVecLd, transform::Action::kVecSt,
                                        transform::Action::kMaxnreg128};
  // Kernels that no policy may have learned from; empty: what the policies say themselves.
  std::vector<std::string> held_out;
};

// A kernel is judged by the first policy that did not learn from it, else by the first. Errors
// (kInput): rules that the table does not fit, policies of several kinds, a kernel held out that is
// not there or that a policy has learned from and no other has not.
Result<EvaluationResult> evaluate(const RecordedTable& table,
                                  const std::vector<search::Policy>& policies,
                                  const EvaluateOptions& options);

// The best program that a sequence of open actions reaches, by level; of several the first in the
// order of the sequences' length and then of their actions.
struct Reached {
  uint32_t program = 0;
  std::vector<transform::Action> sequence;
};
Reached best_reachable(const RecordedKernel& kernel, const EpisodeRules& rules);

// The best next program until none is better beyond noise, as greedy search does, and stop: what
// policies imitate. One action a state that it comes by.
std::vector<transform::Action> greedy_sequence(const RecordedKernel& kernel,
                                               const EpisodeRules& rules);

}  // namespace pitot::environment
