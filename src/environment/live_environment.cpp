#include "environment/live_environment.h"

#include <fmt/format.h>

#include <cmath>

#include "environment/recorded_table.h"
#include "support/draws.h"

namespace pitot::environment {

using search::ActionSet;
using search::State;

LiveEnvironment::LiveEnvironment(std::vector<search::Kernel> kernels, search::Cost& cost,
                                 search::PolicyKind kind, uint32_t max_steps)
    : kernels_(std::move(kernels)),
      cost_(cost),
      kind_(kind),
      max_steps_(max_steps),
      spaces_(kernels_.size()),
      input_(search::inputs_of(kind)) {}

Result<Observation> LiveEnvironment::observe() {
  ActionSet open = 0, taken = 0;
  next_.clear();
  for (transform::Action a : state_->sequence) taken |= search::bit(a);
  if (state_->sequence.size() < max_steps_) {
    auto next = space_->expand(*state_);
    if (!next) return next.error();
    for (State& s : *next) {
      const ActionSet bit = search::bit(s.sequence.back());
      if ((search::all_actions(kind_) & bit) == 0) continue;
      open |= bit;
      next_.push_back(std::move(s));
    }
  }
  mask_ = search::with_stop(open, kind_);
  auto features = space_->features(*state_, kind_);
  if (!features) return features.error();
  search::write_input(*features, mask_, taken, kind_, input_);
  return Observation{input_, mask_};
}

Result<search::CostValue> LiveEnvironment::cost_of(const search::Text& text) {
  if (const auto it = known_.find(text.program); it != known_.end()) return it->second;
  const std::string_view ptx = text.ptx;
  auto values = cost_.evaluate({&ptx, 1});
  if (!values) return values.error();
  if (values->size() != 1) return failed_error("the cost gave no value");
  return known_.emplace(text.program, (*values)[0]).first->second;
}

Result<Observation> LiveEnvironment::reset(std::optional<size_t> kernel, uint64_t seed) {
  space_ = nullptr;
  if (kernels_.empty()) return input_error("there are no kernels");
  const size_t number = kernel ? *kernel : Draws(seed).below(kernels_.size());
  if (number >= kernels_.size())
    return input_error(fmt::format("no kernel {}: there are {}", number, kernels_.size()));
  if (!spaces_[number])
    spaces_[number] = std::make_unique<search::Space>(kernels_[number], search::SearchOptions{});
  auto original = spaces_[number]->original();
  if (!original) return original.error();
  auto cost = cost_of(*original->text);
  if (!cost) return cost.error();
  if (!cost->ok())
    return failed_error(kernels_[number].path + ": the original has no cost: " + cost->failure);
  space_ = spaces_[number].get();
  original_ = *original;
  state_ = std::move(*original);
  return observe();
}

Result<StepResult> LiveEnvironment::step(size_t output) {
  if (space_ == nullptr) return input_error("no episode was begun, or it is done");
  if (output >= search::outputs_of(kind_) || (mask_ >> output & 1) == 0)
    return input_error(fmt::format("output {} is closed here", output));
  StepResult out;
  for (State& s : next_)
    if (static_cast<size_t>(s.sequence.back()) == output) {
      State to = std::move(s);
      state_ = std::move(to);
      break;
    }
  out.done = output == search::actions_of(kind_) || state_->sequence.size() >= max_steps_;
  auto seen = observe();
  if (!seen) return seen.error();
  out.observation = *seen;
  if (!out.done) return out;
  space_ = nullptr;
  const auto before = cost_of(*original_->text), now = cost_of(*state_->text);
  if (!before) return before.error();
  if (!now) return now.error();
  if (!now->ok()) return out;
  const double reward = std::log(before->cost / now->cost);
  const bool apart = better(*before, *now) || better(*now, *before);
  if (apart && std::fabs(reward) >= kDeadZone) out.reward = reward;
  return out;
}

}  // namespace pitot::environment
