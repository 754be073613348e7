#include "environment/table_graph.h"

#include <charconv>

namespace pitot::environment {
namespace {

uint32_t number_in(std::string_view text) {
  uint32_t out = kNowhere;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

TableState state_of(const search::State& from) {
  TableState out{TableGraph::program_of(from), 0};
  for (transform::Action a : from.sequence) out.taken |= search::bit(a);
  return out;
}

}  // namespace

TableGraph::TableGraph(const RecordedKernel& kernel, const EpisodeRules& rules)
    : kernel_(kernel), rules_(rules), texts_(kernel.programs.size()) {}

search::TextPtr TableGraph::text_of(uint32_t program) {
  search::TextPtr& out = texts_[program];
  if (!out) {
    const Hash128 hash = kernel_.programs[program].hash;
    out = std::make_shared<const search::Text>(search::Text{std::to_string(program), hash, hash});
  }
  return out;
}

uint32_t TableGraph::program_of(const search::State& state) { return number_in(state.text->ptx); }

Result<search::State> TableGraph::original() {
  search::State out;
  out.text = text_of(0);
  return out;
}

Result<std::vector<transform::Action>> TableGraph::moves(const search::State& from) {
  const search::ActionSet open = open_outputs(kernel_, state_of(from), rules_);
  std::vector<transform::Action> out;
  for (const transform::ActionInfo& a : transform::actions())
    if ((open & search::all_actions(rules_.kind) & search::bit(a.action)) != 0)
      out.push_back(a.action);
  return out;
}

std::optional<search::State> TableGraph::step(const search::State& from, transform::Action action) {
  const uint32_t to = kernel_.programs[program_of(from)].to[static_cast<size_t>(action)];
  if (to == kNowhere) return std::nullopt;
  return followed(from, text_of(to), action);
}

Result<std::vector<float>> TableGraph::features(const search::State& from,
                                                search::PolicyKind kind) {
  const auto& all = kernel_.programs[program_of(from)].features;
  return std::vector<float>(all.begin(),
                            all.begin() + static_cast<ptrdiff_t>(search::features_of(kind)));
}

Result<std::vector<search::CostValue>> TableCost::evaluate(
    std::span<const std::string_view> texts) {
  std::vector<search::CostValue> out;
  for (std::string_view t : texts) out.push_back(kernel_.programs[number_in(t)].value);
  return out;
}

}  // namespace pitot::environment
