#include "environment/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "environment/table_graph.h"
#include "search/methods.h"
#include "search/policy_search.h"

namespace pitot::environment {
namespace {

using search::SearchOptions;
using search::State;
using transform::Action;

constexpr uint64_t kNoBudget = uint64_t{1} << 40;

double gain_of(const RecordedKernel& kernel, uint32_t program) {
  const RecordedProgram& p = kernel.programs[program];
  return p.value.ok() ? std::log(kernel.original().level / p.level) : 0;
}

KernelOutcome outcome_of(const RecordedKernel& kernel, uint32_t program,
                         const std::vector<Action>& sequence, double measured) {
  KernelOutcome out;
  out.kernel = kernel.name;
  out.failed = !kernel.programs[program].value.ok();
  out.sequence = search::names_of(sequence);
  out.gain = gain_of(kernel, program);
  out.change = std::expm1(-out.gain);
  out.measured = measured;
  return out;
}

// Runs a search over the table; what it would have measured is all that it sees.
Result<KernelOutcome> searched(const RecordedKernel& kernel, const EpisodeRules& rules,
                               const SearchOptions& options, const search::Policy* policy) {
  TableGraph graph(kernel, rules);
  TableCost cost(kernel);
  const search::History history;
  const search::LogSink sink;
  search::Judged judged(options, cost, history, sink);
  const auto original = graph.original();
  if (!original) return original.error();
  if (Status s = judged.judge({&*original, 1}); !s) return s.error();
  const Status ran = policy != nullptr ? search_policy(*policy, *original, options, graph, judged)
                                       : run_method(*original, options, graph, judged);
  if (!ran) return ran.error();
  const search::Program& best = judged.programs()[choose(judged.programs())];
  // The sequence leads to the program from the original.
  State at = *original;
  for (Action a : best.sequence) at = State(*graph.step(at, a));
  return outcome_of(kernel, TableGraph::program_of(at), best.sequence,
                    static_cast<double>(judged.programs().size()));
}

OutcomeSummary summary_of(const MethodResult& method, const std::vector<double>& oracle,
                          std::optional<bool> held_out) {
  OutcomeSummary out;
  std::map<std::vector<std::string>, size_t> sequences;
  for (size_t k = 0; k < method.kernels.size(); ++k) {
    const KernelOutcome& o = method.kernels[k];
    if (held_out && o.held_out != *held_out) continue;
    if (out.kernels++ == 0 || o.change < out.best_change) {
      out.best_change = o.change;
      out.best_kernel = o.kernel;
    }
    out.worst_change = out.kernels == 1 ? o.change : std::max(out.worst_change, o.change);
    out.mean_change += o.change;
    out.mean_gain += o.gain;
    out.mean_measured += o.measured;
    out.improved += o.gain >= kDeadZone;
    out.worse += o.gain <= -kDeadZone;
    ++sequences[o.sequence];
    if (oracle[k] < kDeadZone) continue;
    ++out.with_oracle;
    out.ratio += o.gain / oracle[k];
  }
  if (out.kernels == 0) return out;
  const double n = static_cast<double>(out.kernels);
  out.mean_change /= n;
  out.mean_gain /= n;
  out.mean_measured /= n;
  if (out.with_oracle > 0) out.ratio /= static_cast<double>(out.with_oracle);
  if (method.method == "random") return out;
  out.distinct_sequences = sequences.size();
  for (const auto& [sequence, count] : sequences)
    out.entropy -= static_cast<double>(count) / n * std::log(static_cast<double>(count) / n);
  return out;
}

class TableJudge {
 public:
  TableJudge(const RecordedTable& table, const std::vector<search::Policy>& policies,
             const EvaluateOptions& options)
      : table_(table), policies_(policies), options_(options) {}

  Result<EvaluationResult> judge() {
    if (Status s = choose_policies(); !s) return s.error();
    describe();
    MethodResult& best = method("oracle", 0, true);
    for (const RecordedKernel& k : table_.kernels) {
      Reached r = best_reachable(k, options_.rules);
      best.kernels.push_back(
          outcome_of(k, r.program, r.sequence, static_cast<double>(k.programs.size())));
      oracle_.push_back(best.kernels.back().gain);
    }
    if (Status s = search_by("greedy", search::Method::kGreedy, kNoBudget); !s) return s.error();
    for (uint64_t budget : options_.budgets) {
      if (Status s = search_by("greedy", search::Method::kGreedy, budget); !s) return s.error();
      if (Status s = search_by("beam", search::Method::kBeam, budget); !s) return s.error();
      if (Status s = search_at_random(budget); !s) return s.error();
    }
    follow_recipe();
    if (!policies_.empty())
      if (Status s = judge_policies(); !s) return s.error();
    for (MethodResult& m : out_.methods) {
      for (size_t k = 0; k < m.kernels.size(); ++k) m.kernels[k].held_out = held_out_[k];
      m.all = summary_of(m, oracle_, {});
      m.seen = summary_of(m, oracle_, false);
      m.held_out = summary_of(m, oracle_, true);
    }
    return std::move(out_);
  }

 private:
  Status choose_policies() {
    if (Status s = fits(table_, options_.rules); !s) return s;
    for (const search::Policy& p : policies_)
      if (p.kind() != options_.rules.kind)
        return input_error(fmt::format("a {} policy where {} ones are judged", to_string(p.kind()),
                                       to_string(options_.rules.kind)));
    std::set<std::string> wanted(options_.held_out.begin(), options_.held_out.end());
    for (const RecordedKernel& k : table_.kernels) {
      size_t chosen = policies_.size();
      for (size_t p = 0; p < policies_.size() && chosen == policies_.size(); ++p) {
        const auto& learned = policies_[p].origin.trained_on;
        if (std::find(learned.begin(), learned.end(), k.name) == learned.end()) chosen = p;
      }
      const bool unseen = chosen < policies_.size();
      const bool apart = wanted.erase(k.name) != 0;
      if (apart && !unseen && !policies_.empty())
        return input_error(k.name + " is held out, and the policy has learned from it");
      policy_of_.push_back(unseen ? chosen : 0);
      held_out_.push_back(options_.held_out.empty() ? unseen : apart);
    }
    if (!wanted.empty())
      return input_error(*wanted.begin() + " is held out, and the table has no such kernel");
    return Ok{};
  }

  void describe() {
    out_.cost = table_.cost;
    out_.table_hash = table_.hash.hex();
    out_.kind = to_string(options_.rules.kind);
    out_.max_steps = options_.rules.max_steps;
    out_.seed = options_.seed;
    out_.random_runs = options_.random_runs;
    for (const search::Policy& p : policies_)
      out_.same_data = out_.same_data && p.origin.data == out_.table_hash;
    for (const RecordedKernel& k : table_.kernels) {
      ++out_.kernels;
      out_.programs += k.programs.size();
      out_.unmeasured += k.unmeasured;
      for (const RecordedProgram& p : k.programs) out_.failed += !p.value.ok();
    }
  }

  MethodResult& method(const std::string& name, uint64_t budget, bool whole = false) {
    MethodResult& out = out_.methods.emplace_back();
    out.method = name;
    out.budget = budget;
    out.whole = whole;
    return out;
  }

  SearchOptions how(uint64_t budget) const {
    SearchOptions out;
    out.budget = budget;
    out.max_steps = options_.rules.max_steps;
    out.width = options_.width;
    out.seed = options_.seed;
    return out;
  }

  Status search_by(const char* name, search::Method m, uint64_t budget) {
    SearchOptions options = how(budget);
    options.method = m;
    MethodResult& out = method(name, budget == kNoBudget ? 0 : budget, budget == kNoBudget);
    for (const RecordedKernel& k : table_.kernels) {
      auto outcome = searched(k, options_.rules, options, nullptr);
      if (!outcome) return outcome.error();
      out.kernels.push_back(std::move(*outcome));
    }
    return Ok{};
  }

  Status search_at_random(uint64_t budget) {
    SearchOptions options = how(budget);
    options.method = search::Method::kRandom;
    MethodResult& out = method("random", budget);
    for (const RecordedKernel& k : table_.kernels) {
      KernelOutcome mean;
      mean.kernel = k.name;
      for (uint64_t run = 0; run < options_.random_runs; ++run) {
        options.seed = options_.seed + run;
        const auto outcome = searched(k, options_.rules, options, nullptr);
        if (!outcome) return outcome.error();
        mean.gain += outcome->gain / static_cast<double>(options_.random_runs);
        mean.measured += outcome->measured / static_cast<double>(options_.random_runs);
      }
      mean.change = std::expm1(-mean.gain);
      out.kernels.push_back(std::move(mean));
    }
    return Ok{};
  }

  // Each action where it is open, nothing measured.
  void follow_recipe() {
    MethodResult& out = method("recipe", 0);
    for (const RecordedKernel& k : table_.kernels) {
      TableState at;
      std::vector<Action> sequence;
      for (Action a : options_.recipe) {
        if ((open_outputs(k, at, options_.rules) & search::all_actions(options_.rules.kind) &
             search::bit(a)) == 0)
          continue;
        at = after(k, at, static_cast<size_t>(a));
        sequence.push_back(a);
      }
      out.kernels.push_back(outcome_of(k, at.program, sequence, 0));
    }
  }

  Status judge_policies() {
    MethodResult blind;
    blind.method = "policy";
    MethodResult measured = blind;
    measured.budget = options_.policy_budget;
    for (size_t n = 0; n < table_.kernels.size(); ++n) {
      const RecordedKernel& k = table_.kernels[n];
      const search::Policy& policy = policies_[policy_of_[n]];
      TableGraph graph(k, options_.rules);
      auto path = follow_policy(policy, graph, options_.rules.max_steps);
      if (!path) return path.error();
      blind.kernels.push_back(
          outcome_of(k, TableGraph::program_of(path->state), path->state.sequence, 0));
      auto outcome = searched(k, options_.rules, how(options_.policy_budget), &policy);
      if (!outcome) return outcome.error();
      measured.kernels.push_back(std::move(*outcome));
    }
    out_.methods.push_back(std::move(blind));
    out_.methods.push_back(std::move(measured));
    return Ok{};
  }

  const RecordedTable& table_;
  const std::vector<search::Policy>& policies_;
  const EvaluateOptions& options_;
  EvaluationResult out_;
  std::vector<size_t> policy_of_;  // by kernel
  std::vector<bool> held_out_;
  std::vector<double> oracle_;  // gain by kernel
};

}  // namespace

Reached best_reachable(const RecordedKernel& kernel, const EpisodeRules& rules) {
  struct Visit {
    TableState state;
    size_t from;  // of visits
    size_t action;
  };
  std::vector<Visit> visits{{TableState{}, 0, 0}};
  std::set<std::pair<uint32_t, search::ActionSet>> met;
  size_t best = 0;
  for (size_t n = 0; n < visits.size(); ++n) {
    const TableState at = visits[n].state;
    const RecordedProgram& p = kernel.programs[at.program];
    if (p.value.ok() && p.level < kernel.programs[visits[best].state.program].level) best = n;
    search::ActionSet open = open_outputs(kernel, at, rules) & search::all_actions(rules.kind);
    for (; open != 0; open &= open - 1) {
      const auto action = static_cast<size_t>(std::countr_zero(open));
      const TableState to = after(kernel, at, action);
      if (met.emplace(to.program, to.taken).second) visits.push_back({to, n, action});
    }
  }
  Reached out{visits[best].state.program, {}};
  for (size_t n = best; n != 0; n = visits[n].from)
    out.sequence.insert(out.sequence.begin(), static_cast<Action>(visits[n].action));
  return out;
}

std::vector<Action> greedy_sequence(const RecordedKernel& kernel, const EpisodeRules& rules) {
  std::vector<Action> out;
  for (TableState at;;) {
    const search::CostValue& now = kernel.programs[at.program].value;
    const search::ActionSet open =
        open_outputs(kernel, at, rules) & search::all_actions(rules.kind);
    std::optional<size_t> best;
    double least = 0;
    for (search::ActionSet rest = open; rest != 0; rest &= rest - 1) {
      const auto action = static_cast<size_t>(std::countr_zero(rest));
      const search::CostValue& v = kernel.programs[after(kernel, at, action).program].value;
      if (!better(v, now) || (best && v.cost >= least)) continue;
      best = action;
      least = v.cost;
    }
    if (!best) return out;
    out.push_back(static_cast<Action>(*best));
    at = after(kernel, at, *best);
  }
}

Result<EvaluationResult> evaluate(const RecordedTable& table,
                                  const std::vector<search::Policy>& policies,
                                  const EvaluateOptions& options) {
  return TableJudge(table, policies, options).judge();
}

}  // namespace pitot::environment
