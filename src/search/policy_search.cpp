#include "search/policy_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

#include "search/space.h"

namespace pitot::search {
namespace {

std::string name_of_output(size_t output, PolicyKind kind) {
  return output == actions_of(kind)
             ? "stop"
             : std::string(transform::info(static_cast<transform::Action>(output)).name);
}

ActionSet taken_by(const State& state) {
  ActionSet out = 0;
  for (transform::Action a : state.sequence) out |= bit(a);
  return out;
}

// A sequence in the queue: whole with its stop, or to be continued.
struct Node {
  double log_probability = 0;
  size_t number = 0;  // of equal ones the earlier comes first
  bool whole = false;
  State state;
};
struct LessProbable {
  bool operator()(const Node& a, const Node& b) const {
    return a.log_probability != b.log_probability ? a.log_probability < b.log_probability
                                                  : a.number > b.number;
  }
};

}  // namespace

Result<PolicyView> view_of(const Policy& policy, const State& state, ProgramGraph& graph,
                           uint32_t max_steps) {
  const PolicyKind kind = policy.kind();
  PolicyView out;
  ActionSet open = 0;
  if (state.sequence.size() < max_steps) {
    auto moves = graph.moves(state);
    if (!moves) return moves.error();
    for (transform::Action a : *moves) {
      if ((all_actions(kind) & bit(a)) == 0) continue;
      auto to = graph.step(state, a);
      if (!to) continue;
      open |= bit(a);
      out.next.push_back(std::move(*to));
    }
  }
  const ActionSet mask = with_stop(open, kind);
  out.probabilities.resize(outputs_of(kind));
  if (open == 0) {
    out.probabilities.back() = 1;
    return out;
  }
  auto features = graph.features(state, kind);
  if (!features) return features.error();
  std::vector<float> input(inputs_of(kind)), logits(outputs_of(kind));
  write_input(*features, mask, taken_by(state), kind, input);
  policy.network.logits(input, logits);
  masked_softmax(logits, mask, 1, out.probabilities);
  return out;
}

Result<PolicyPath> follow_policy(const Policy& policy, ProgramGraph& graph, uint32_t max_steps) {
  auto original = graph.original();
  if (!original) return original.error();
  PolicyPath out;
  out.state = std::move(*original);
  while (out.state.sequence.size() < max_steps) {
    auto view = view_of(policy, out.state, graph, max_steps);
    if (!view) return view.error();
    std::vector<size_t> order(view->probabilities.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return view->probabilities[a] > view->probabilities[b];
    });
    PolicyStep step{name_of_output(order[0], policy.kind()), view->probabilities[order[0]], "", 0};
    if (view->probabilities[order[1]] > 0) {
      step.second = name_of_output(order[1], policy.kind());
      step.second_probability = view->probabilities[order[1]];
    }
    out.steps.push_back(std::move(step));
    if (order[0] == actions_of(policy.kind())) break;
    const auto next = std::find_if(view->next.begin(), view->next.end(), [&](const State& s) {
      return static_cast<size_t>(s.sequence.back()) == order[0];
    });
    out.state = State(*next);
  }
  return out;
}

Result<SearchResult> follow_policy(const Policy& policy, const Kernel& kernel, uint32_t max_steps,
                                   std::vector<PolicyStep>* steps) {
  Space space(kernel, SearchOptions{});
  auto path = follow_policy(policy, space, max_steps);
  if (!path) return path.error();
  if (!space.faults().empty())
    return failed_error(fmt::format("{}: a transform's output does not verify: {}", kernel.path,
                                    space.faults()[0].message));
  SearchResult out;
  out.baseline.hash = program_hash(kernel).hex();
  out.best.hash = path->state.text->program.hex();
  out.best.sequence = names_of(path->state.sequence);
  out.best_text = path->state.text->ptx;
  out.improved = !path->state.sequence.empty();
  out.programs = {out.baseline, out.best};
  out.best_number = out.improved ? 1 : 0;
  if (steps != nullptr) *steps = std::move(path->steps);
  return out;
}

Status search_policy(const Policy& policy, const State& original, const SearchOptions& options,
                     ProgramGraph& graph, Judged& judged) {
  std::priority_queue<Node, std::vector<Node>, LessProbable> queue;
  std::set<Hash128> met{original.text->program};
  size_t made = 0;
  queue.push({0, made++, false, original});
  for (size_t looked = 0; !queue.empty() && looked < kMostNodes && !judged.spent(); ++looked) {
    const Node node = queue.top();
    queue.pop();
    if (node.whole) {
      if (!met.insert(node.state.text->program).second) continue;
      if (met.size() > options.budget) break;
      if (Status s = judged.judge({&node.state, 1}); !s) return s;
      continue;
    }
    auto view = view_of(policy, node.state, graph, options.max_steps);
    if (!view) return view.error();
    const double stop = view->probabilities[actions_of(policy.kind())];
    if (stop > 0) queue.push({node.log_probability + std::log(stop), made++, true, node.state});
    for (State& s : view->next) {
      const double p = view->probabilities[static_cast<size_t>(s.sequence.back())];
      if (p > 0) queue.push({node.log_probability + std::log(p), made++, false, std::move(s)});
    }
  }
  return Ok{};
}

}  // namespace pitot::search
