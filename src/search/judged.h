// The distinct programs that a search has met, and what they cost: each is asked for once, within
// the budget.
#pragma once

#include <map>
#include <vector>

#include "search/space.h"

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

  // Evaluates the programs of these states that are new, in their order, as far as the budget goes.
  // Every state counts as that many sequences that lead to its program.
  Status judge(std::span<const State> states);
  // Null: the budget was spent.
  const Program* find(const State& state) const;
  // Whether it has a cost.
  bool sound(const State& state) const;

  bool spent() const { return spent_; }
  uint64_t remembered() const { return remembered_; }
  const std::vector<Program>& programs() const { return programs_; }

 private:
  Status ask(std::span<const State* const> batch);

  const SearchOptions& options_;
  Cost& cost_;
  const History& history_;
  const LogSink& sink_;
  std::vector<Program> programs_;
  std::map<Hash128, size_t> by_hash_;
  uint64_t remembered_ = 0;
  bool spent_ = false;
};

// Where the search ends: the shortest of those that are indistinguishable from the best, the first
// program (the original) unless it is better than that beyond noise.
size_t choose(const std::vector<Program>& programs);

}  // namespace pitot::search
