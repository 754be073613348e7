#include "search/program_graph.h"

namespace pitot::search {

using transform::Action;

std::vector<std::string> names_of(std::span<const Action> sequence) {
  std::vector<std::string> out;
  for (Action a : sequence) out.emplace_back(transform::info(a).name);
  return out;
}

ActionSet blocked_by(Action action) {
  ActionSet out = 0;
  for (const transform::ActionInfo& a : transform::actions())
    if (!transform::can_follow(action, a.action)) out |= bit(a.action);
  return out;
}

State followed(const State& from, TextPtr to, Action action) {
  State out{std::move(to), from.sequence, from.blocked | blocked_by(action), from.ways};
  out.sequence.push_back(action);
  return out;
}

Status ProgramGraph::look_ahead(std::span<const State>, bool) { return Ok{}; }
Status ProgramGraph::look_ahead(std::span<const Step>) { return Ok{}; }

Result<std::vector<State>> ProgramGraph::expand(const State& from) {
  auto actions = moves(from);
  if (!actions) return actions.error();
  std::vector<State> out;
  for (Action a : *actions)
    if (auto to = step(from, a)) out.push_back(std::move(*to));
  return out;
}

}  // namespace pitot::search
