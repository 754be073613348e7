#include "environment/table_environment.h"

#include <fmt/format.h>

#include <bit>

#include "search/program_graph.h"
#include "support/draws.h"

namespace pitot::environment {
namespace {

using search::ActionSet;

std::array<ActionSet, transform::kActions> make_blocked() {
  std::array<ActionSet, transform::kActions> out{};
  for (const transform::ActionInfo& a : transform::actions())
    out[static_cast<size_t>(a.action)] = search::blocked_by(a.action);
  return out;
}

ActionSet blocked_after(ActionSet taken) {
  static const auto kBlocked = make_blocked();
  ActionSet out = 0;
  for (ActionSet rest = taken; rest != 0; rest &= rest - 1)
    out |= kBlocked[static_cast<size_t>(std::countr_zero(rest))];
  return out;
}

}  // namespace

uint32_t TableState::steps() const { return static_cast<uint32_t>(std::popcount(taken)); }

ActionSet open_outputs(const RecordedKernel& kernel, const TableState& state,
                       const EpisodeRules& rules) {
  ActionSet open = 0;
  const RecordedProgram& p = kernel.programs[state.program];
  if (p.value.ok() && state.steps() < rules.max_steps) {
    const ActionSet blocked = blocked_after(state.taken);
    for (size_t k = 0; k < search::actions_of(rules.kind); ++k) {
      if (p.to[k] == kNowhere || (blocked >> k & 1) != 0) continue;
      if (rules.distinct_images && p.image != kNowhere && kernel.programs[p.to[k]].image == p.image)
        continue;
      open |= ActionSet{1} << k;
    }
  }
  return search::with_stop(open, rules.kind);
}

Status fits(const RecordedTable& table, const EpisodeRules& rules) {
  if (rules.kind == search::PolicyKind::kWide && table.kind != search::PolicyKind::kWide)
    return input_error("the table has the published actions only, not the wide ones");
  if (rules.max_steps > table.max_steps)
    return input_error(fmt::format("the table was recorded for {} steps, not {}", table.max_steps,
                                   rules.max_steps));
  return Ok{};
}

TableEnvironment::TableEnvironment(const RecordedTable& table, const EpisodeRules& rules)
    : table_(table), rules_(rules), input_(search::inputs_of(rules.kind)) {}

Observation TableEnvironment::observe() {
  mask_ = open_outputs(*kernel_, state_, rules_);
  search::write_input(kernel_->programs[state_.program].features, mask_, state_.taken, rules_.kind,
                      input_);
  return {input_, mask_};
}

Result<Observation> TableEnvironment::reset(std::optional<size_t> kernel, uint64_t seed) {
  const size_t number = kernel ? *kernel : Draws(seed).below(table_.kernels.size());
  if (number >= table_.kernels.size())
    return input_error(
        fmt::format("no kernel {}: the table has {}", number, table_.kernels.size()));
  kernel_ = &table_.kernels[number];
  state_ = {};
  return observe();
}

Result<StepResult> TableEnvironment::step(size_t output) {
  if (kernel_ == nullptr) return input_error("no episode was begun, or it is done");
  if (output >= search::outputs_of(rules_.kind) || (mask_ >> output & 1) == 0)
    return input_error(fmt::format("output {} is closed here", output));
  StepResult out;
  if (output < search::actions_of(rules_.kind)) state_ = after(*kernel_, state_, output);
  out.done = output == search::actions_of(rules_.kind) || state_.steps() >= rules_.max_steps;
  out.observation = observe();
  if (out.done) {
    out.reward = reward_of(*kernel_, state_.program);
    kernel_ = nullptr;
  }
  return out;
}

}  // namespace pitot::environment
