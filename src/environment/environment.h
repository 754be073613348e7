// Episodes in which transforms are chosen one by one: what a policy learns in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "search/observation.h"
#include "support/result.h"

namespace pitot::environment {

// What is seen before an action. Valid until the next call.
struct Observation {
  std::span<const float> input;  // the network's: features, mask, history
  search::ActionSet mask = 0;    // bits by output; stop is always open
};

struct StepResult {
  Observation observation;
  double reward = 0;  // of the whole episode, when it is done; 0 before
  bool done = false;
};

class TransformEnvironment {
 public:
  virtual ~TransformEnvironment() = default;
  virtual search::PolicyKind kind() const = 0;
  virtual size_t kernels() const = 0;
  virtual std::string kernel_name(size_t kernel) const = 0;
  // Begins an episode with this kernel, without one with a kernel that the seed draws. Errors: no
  // such kernel; live ones also those of the kernel and the cost.
  virtual Result<Observation> reset(std::optional<size_t> kernel, uint64_t seed) = 0;
  // `output`: an action of the kind by number, or stop behind the last. The episode is done with
  // stop and with the last step; then the reward is log(cost before / cost after), 0 within
  // ±0.01 and for programs that do not work, which are rolled back. Errors: an output that the mask
  // closes, an episode that is done.
  virtual Result<StepResult> step(size_t output) = 0;
};

}  // namespace pitot::environment
