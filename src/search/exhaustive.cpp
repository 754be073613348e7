// Every program, shortest sequences first. Sequences that give the same program and leave the same
// actions open are one; one that leaves fewer open than a shorter one is not continued.
#include <algorithm>
#include <iterator>
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

Status search_exhaustive(const State& original, const SearchOptions& options, ProgramGraph& graph,
                         Judged& judged) {
  Frontier frontier;
  frontier.add(original);
  for (uint32_t length = 0; length < options.max_steps; ++length) {
    const std::vector<State> level = frontier.take();
    std::vector<State> met;
    for (size_t k = 0; k < level.size() && !judged.spent(); ++k) {
      if (k % kLookAhead == 0)
        if (Status s = graph.look_ahead(
                std::span(level).subspan(k).first(std::min(kLookAhead, level.size() - k)));
            !s)
          return s;
      auto next = graph.expand(level[k]);
      if (!next) return next.error();
      if (Status s = judged.admit(*next); !s) return s;
      if (length + 1 < options.max_steps)
        std::move(next->begin(), next->end(), std::back_inserter(met));
    }
    if (Status s = judged.settle(); !s) return s;
    // What does not work is not continued: it was said to be no program of worth.
    for (State& s : met)
      if (judged.sound(s)) frontier.add(std::move(s));
  }
  return Ok{};
}

}  // namespace pitot::search
