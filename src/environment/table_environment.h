// Episodes from a recorded table: every step is a look-up.
#pragma once

#include <vector>

#include "environment/environment.h"
#include "environment/recorded_table.h"

namespace pitot::environment {

struct EpisodeRules {
  search::PolicyKind kind = search::PolicyKind::kPublished;
  uint32_t max_steps = 6;
  // Closes actions that lead to the machine code that the program has already, where images are
  // known. They make no difference now, but may open a way: so this is a choice.
  bool distinct_images = false;
  bool operator==(const EpisodeRules&) const = default;
};

// Where an episode is.
struct TableState {
  uint32_t program = 0;
  search::ActionSet taken = 0;  // bits by action
  uint32_t steps() const;
};

// The outputs that are open. What follows a program without a cost was not measured: only stop.
search::ActionSet open_outputs(const RecordedKernel& kernel, const TableState& state,
                               const EpisodeRules& rules);
inline TableState after(const RecordedKernel& kernel, const TableState& state, size_t action) {
  return {kernel.programs[state.program].to[action], state.taken | search::ActionSet{1} << action};
}

// Errors (kInput): a kind or steps that the table does not have.
Status fits(const RecordedTable& table, const EpisodeRules& rules);

class TableEnvironment final : public TransformEnvironment {
 public:
  // The table must outlive it, and the rules must fit it.
  TableEnvironment(const RecordedTable& table, const EpisodeRules& rules);

  search::PolicyKind kind() const override { return rules_.kind; }
  size_t kernels() const override { return table_.kernels.size(); }
  std::string kernel_name(size_t k) const override { return table_.kernels[k].name; }
  Result<Observation> reset(std::optional<size_t> kernel, uint64_t seed) override;
  Result<StepResult> step(size_t output) override;

  const TableState& state() const { return state_; }

 private:
  Observation observe();

  const RecordedTable& table_;
  EpisodeRules rules_;
  const RecordedKernel* kernel_ = nullptr;  // null: no episode
  TableState state_;
  search::ActionSet mask_ = 0;
  std::vector<float> input_;
};

}  // namespace pitot::environment
