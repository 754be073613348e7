// Steps of episodes as training takes them, in plain arrays.
#pragma once

#include <vector>

#include "search/policy_network.h"

namespace pitot::learn {

// In the place of minus infinity among log-probabilities: times a probability of 0 it is 0.
inline constexpr float kNever = -1e30f;

// By step.
struct Samples {
  search::PolicyKind kind = search::PolicyKind::kPublished;
  std::vector<float> inputs;             // inputs_of(kind) each
  std::vector<search::ActionSet> masks;  // bits by output
  std::vector<uint32_t> outputs;         // what was chosen
  size_t size() const { return outputs.size(); }
  void add(std::span<const float> input, search::ActionSet mask, size_t output) {
    inputs.insert(inputs.end(), input.begin(), input.end());
    masks.push_back(mask);
    outputs.push_back(static_cast<uint32_t>(output));
  }
};

struct RolloutSamples : Samples {
  std::vector<float> old_log;     // log-probability of the output by the policy that acted
  std::vector<float> advantages;  // of the step's episode
  std::vector<float> reference;   // outputs_of(kind) each: log-probabilities of the reference
};

}  // namespace pitot::learn
