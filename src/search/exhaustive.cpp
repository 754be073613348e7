// Every program, shortest sequences first. Sequences that give the same program and leave the same
// actions open are one; one that leaves fewer open than a shorter one is not continued.
#include <algorithm>
#include <map>

#include "search/methods.h"

namespace pitot::search {
namespace {

class Frontier {
 public:
  // Takes the states of one length, which all differ in program or in what they leave open.
  std::vector<State> take() {
    std::vector<State> out = std::move(states_);
    states_.clear();
    for (const State& s : out) continued_[s.text->program].push_back(s.blocked);
    at_.clear();
    return out;
  }

  void add(State state) {
    const auto key = std::pair(state.text->program, state.blocked);
    if (const auto it = at_.find(key); it != at_.end()) {
      states_[it->second].ways += state.ways;
      return;
    }
    for (ActionSet earlier : continued_[state.text->program])
      if ((earlier & ~state.blocked) == 0) return;
    at_.emplace(key, states_.size());
    states_.push_back(std::move(state));
  }

 private:
  std::vector<State> states_;
  std::map<std::pair<Hash128, ActionSet>, size_t> at_;   // of states_
  std::map<Hash128, std::vector<ActionSet>> continued_;  // what was blocked
};

}  // namespace

Status search_exhaustive(const State& original, const SearchOptions& options, Space& space,
                         Judged& judged) {
  Frontier frontier;
  frontier.add(original);
  for (uint32_t length = 0; length < options.max_steps; ++length) {
    for (const State& from : frontier.take()) {
      if (judged.spent()) return Ok{};
      auto next = space.expand(from);
      if (!next) return next.error();
      if (Status s = judged.judge(*next); !s) return s;
      // What does not work is not continued: it was said to be no program of worth.
      for (State& s : *next)
        if (judged.sound(s) && length + 1 < options.max_steps) frontier.add(std::move(s));
    }
  }
  return Ok{};
}

}  // namespace pitot::search
