// The distinct programs that a search has met, and what they cost: each is asked for once, within
// the budget.
#pragma once

#include <map>
#include <vector>

#include "search/program_graph.h"

namespace pitot::search {

struct Program {
  Hash128 hash;
  std::vector<transform::Action> sequence;  // the shortest that was met
  uint64_t sequences = 0;
  CostValue value;
};

class Judged {
 public:
  Judged(const SearchOptions& options, Cost& cost, const History& history, const LogSink& sink)
      : options_(options), cost_(cost), history_(history), sink_(sink) {}

  // Notes the programs of these states that are new, in their order, as far as the budget goes.
  // Every state counts as that many sequences that lead to its program. They are evaluated when
  // there are enough for a call of the cost, or by settle().
  Status admit(std::span<const State> states);
  // Evaluates what has been admitted.
  Status settle();
  Status judge(std::span<const State> states);  // both
  // Null: the budget was spent. Without a value where it is admitted and not evaluated.
  const Program* find(const State& state) const;
  // Whether it has a cost.
  bool sound(const State& state) const;

  // The budget is, or the search was told to stop.
  bool spent() const { return spent_ || stopped_; }
  bool budget_spent() const { return spent_; }
  bool stopped() const { return stopped_; }
  uint64_t remembered() const { return remembered_; }
  const std::vector<Program>& programs() const { return programs_; }

 private:
  struct Waiting {
    TextPtr text;
    std::vector<transform::Action> sequence;
  };
  Status ask(std::span<const Waiting> batch);
  void forget(std::span<const Waiting> batch);

  const SearchOptions& options_;
  Cost& cost_;
  const History& history_;
  const LogSink& sink_;
  std::vector<Program> programs_;
  std::map<Hash128, size_t> by_hash_;
  uint64_t remembered_ = 0;
  std::vector<Waiting> waiting_;
  bool spent_ = false, stopped_ = false;
};

// Where the search ends: the shortest of those that are indistinguishable from the best, the first
// program (the original) unless it is better than that beyond noise. `excluded`: not to be taken.
size_t choose(const std::vector<Program>& programs, const std::vector<bool>& excluded = {});

}  // namespace pitot::search
