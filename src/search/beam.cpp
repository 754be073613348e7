// Of each length, the best few programs are continued, whether or not they are better already.
#include <algorithm>
#include <iterator>
#include <set>

#include "search/methods.h"

namespace pitot::search {

Status search_beam(const State& original, const SearchOptions& options, ProgramGraph& graph,
                   Judged& judged) {
  std::vector<State> beam{original};
  std::set<Hash128> met{original.text->program};  // continued, or worse than those that were
  for (uint32_t length = 0; length < options.max_steps && !beam.empty() && !judged.spent();
       ++length) {
    std::vector<State> next;
    std::vector<State> reached;
    if (Status s = graph.look_ahead(beam); !s) return s;
    for (const State& from : beam) {
      auto states = graph.expand(from);
      if (!states) return states.error();
      if (Status s = judged.admit(*states); !s) return s;
      std::move(states->begin(), states->end(), std::back_inserter(reached));
    }
    if (Status s = judged.settle(); !s) return s;
    for (State& s : reached)
      if (judged.sound(s) && met.insert(s.text->program).second) next.push_back(std::move(s));
    std::stable_sort(next.begin(), next.end(), [&](const State& a, const State& b) {
      return judged.find(a)->value.cost < judged.find(b)->value.cost;
    });
    if (next.size() > options.width) next.resize(options.width);
    beam = std::move(next);
  }
  return Ok{};
}

}  // namespace pitot::search
