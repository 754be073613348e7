// The best next action, again and again.
#include "search/methods.h"

namespace pitot::search {

Status search_greedy(const State& original, const SearchOptions& options, ProgramGraph& graph,
                     Judged& judged) {
  State now = original;
  while (now.sequence.size() < options.max_steps && !judged.spent()) {
    const auto next = graph.expand(now);
    if (!next) return next.error();
    if (Status s = judged.judge(*next); !s) return s;
    const State* best = nullptr;
    for (const State& s : *next)
      if (judged.sound(s) && better(judged.find(s)->value, judged.find(now)->value) &&
          (best == nullptr || judged.find(s)->value.cost < judged.find(*best)->value.cost))
        best = &s;
    if (best == nullptr) break;
    now = State(*best);
  }
  return Ok{};
}

}  // namespace pitot::search
