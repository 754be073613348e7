// Following a trained policy: the sequence it takes, and its most probable programs.
#pragma once

#include "search/judged.h"
#include "search/policy_file.h"

namespace pitot::search {

struct PolicyPath {
  State state;                    // where it ends
  std::vector<PolicyStep> steps;  // with the stop, unless the most steps were taken
};

// The actions that a policy may take: those that lead to another program, and stop; no more than
// stop when `max_steps` were taken.
struct PolicyView {
  std::vector<State> next;            // by open action, in the catalogue's order
  std::vector<double> probabilities;  // by output
};
Result<PolicyView> view_of(const Policy& policy, const State& state, ProgramGraph& graph,
                           uint32_t max_steps);

// The likeliest action again and again; nothing is judged.
Result<PolicyPath> follow_policy(const Policy& policy, ProgramGraph& graph, uint32_t max_steps);

// Judges the policy's most probable distinct programs until the budget is spent: sequences in the
// order of their probability (the product of their steps', stop included), best first, so no
// sequence is looked at that is less probable than one that was not. Draws would meet the
// likeliest programs again and again and depend on a seed. `kMostNodes` ends it where the policy
// puts nearly everything on few programs.
inline constexpr size_t kMostNodes = 20000;
Status search_policy(const Policy& policy, const State& original, const SearchOptions& options,
                     ProgramGraph& graph, Judged& judged);

// The likeliest sequence of a kernel as a result without costs: `improved` says that it has
// actions.
Result<SearchResult> follow_policy(const Policy& policy, const Kernel& kernel, uint32_t max_steps,
                                   std::vector<PolicyStep>* steps);

// search() with it; the method in the options does not matter.
Result<SearchResult> search_by_policy(const Kernel& kernel, const Policy& policy,
                                      const SearchOptions& options, Cost& cost,
                                      const History& history = {}, const LogSink& sink = {});

}  // namespace pitot::search
