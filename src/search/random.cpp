// Sequences at random: a length drawn evenly from 1 to the most, then each action evenly from those
// that may follow and change something.
#include <set>

#include "search/methods.h"

namespace pitot::search {
namespace {

constexpr unsigned kMostFruitless = 1000;  // draws in a row that give no new program

// SplitMix64 (Steele, Lea and Flood, 2014): the same draws everywhere.
class SequenceDraws {
 public:
  explicit SequenceDraws(uint64_t seed) : state_(seed) {}
  size_t below(size_t count) {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<size_t>(((z ^ (z >> 31)) >> 32) * count >> 32);
  }

 private:
  uint64_t state_;
};

}  // namespace

Status search_random(const State& original, const SearchOptions& options, Space& space,
                     Judged& judged) {
  SequenceDraws draws(options.seed);
  std::set<std::vector<transform::Action>> drawn;
  std::set<Hash128> met{original.text->program};
  std::vector<State> waiting;
  if (options.max_steps == 0) return Ok{};
  for (unsigned fruitless = 0; fruitless < kMostFruitless && !judged.spent();) {
    State now = original;
    for (size_t left = 1 + draws.below(options.max_steps); left != 0; --left) {
      const auto moves = space.moves(now);
      if (!moves) return moves.error();
      if (moves->empty()) break;
      if (auto next = space.step(now, (*moves)[draws.below(moves->size())])) now = *next;
    }
    if (now.sequence.empty() || !drawn.insert(now.sequence).second) {
      ++fruitless;
      continue;
    }
    const bool fresh = met.insert(now.text->program).second;
    fruitless = fresh ? 0 : fruitless + 1;
    waiting.push_back(std::move(now));
    if (waiting.size() < options.batch && met.size() <= options.budget) continue;
    if (Status s = judged.judge(waiting); !s) return s;
    waiting.clear();
  }
  return judged.judge(waiting);
}

}  // namespace pitot::search
