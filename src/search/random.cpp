// Sequences at random: a length drawn evenly from 1 to the most, then each action evenly from those
// that may follow and change something.
#include <set>
#include <utility>
#include <vector>

#include "search/methods.h"

namespace pitot::search {
namespace {

constexpr unsigned kMostFruitless = 1000;  // draws in a row that give no new program

// SplitMix64 (Steele, Lea and Flood, 2014): the same draws everywhere, others for each number.
class SequenceDraws {
 public:
  SequenceDraws(uint64_t seed, uint64_t number) : state_(seed) {
    state_ = bits() + number;
    state_ = bits();
  }
  size_t below(size_t count) { return static_cast<size_t>((bits() >> 32) * count >> 32); }

 private:
  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

// One sequence that is being drawn.
struct Walk {
  SequenceDraws draws;
  State now;
  size_t left = 0;
};

// Sequences by their numbers, a few at a time, an action of each at once. Each has draws of its
// own, so that it does not matter how many are walked together.
Result<std::vector<State>> walk(const State& original, const SearchOptions& options,
                                ProgramGraph& graph, uint64_t first) {
  std::vector<Walk> walks;
  for (size_t i = 0; i < kLookAhead; ++i) {
    Walk& w = walks.emplace_back(Walk{SequenceDraws(options.seed, first + i), original, 0});
    w.left = 1 + w.draws.below(options.max_steps);
  }
  for (bool any = true; any;) {
    std::vector<State> going;
    for (const Walk& w : walks)
      if (w.left != 0) going.push_back(w.now);
    if (Status s = graph.look_ahead(going, false); !s) return s.error();
    std::vector<std::pair<Walk*, transform::Action>> chosen;
    for (Walk& w : walks) {
      if (w.left == 0) continue;
      const auto moves = graph.moves(w.now);
      if (!moves) return moves.error();
      w.left = moves->empty() ? 0 : w.left - 1;
      if (!moves->empty()) chosen.emplace_back(&w, (*moves)[w.draws.below(moves->size())]);
    }
    std::vector<ProgramGraph::Step> steps;
    for (const auto& [w, action] : chosen) steps.emplace_back(&w->now, action);
    if (Status s = graph.look_ahead(steps); !s) return s.error();
    for (const auto& [w, action] : chosen)
      if (auto next = graph.step(w->now, action)) w->now = std::move(*next);
    any = !chosen.empty();
  }
  std::vector<State> out;
  for (Walk& w : walks) out.push_back(std::move(w.now));
  return out;
}

}  // namespace

Status search_random(const State& original, const SearchOptions& options, ProgramGraph& graph,
                     Judged& judged) {
  std::set<std::vector<transform::Action>> drawn;
  std::set<Hash128> met{original.text->program};
  if (options.max_steps == 0) return Ok{};
  unsigned fruitless = 0;
  for (uint64_t number = 0; fruitless < kMostFruitless && !judged.spent(); number += kLookAhead) {
    auto states = walk(original, options, graph, number);
    if (!states) return states.error();
    for (const State& s : *states) {
      if (fruitless >= kMostFruitless || judged.spent()) break;
      if (s.sequence.empty() || !drawn.insert(s.sequence).second) {
        ++fruitless;
        continue;
      }
      fruitless = met.insert(s.text->program).second ? 0 : fruitless + 1;
      if (Status a = judged.admit({&s, 1}); !a) return a;
    }
  }
  return judged.settle();
}

}  // namespace pitot::search
