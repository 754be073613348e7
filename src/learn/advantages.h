// Generalised advantage estimation (Schulman et al., "High-Dimensional Continuous Control Using
// Generalized Advantage Estimation", 2016, eq. 16) over one rollout of successive episodes.
#pragma once

#include <span>
#include <vector>

namespace pitot::learn {

// `values`: of each step's observation and, one more, of the observation behind the last step.
// `ended`: whether the episode ended with the step; its reward then already has the discounted
// value of what would have followed, where it was cut off and not over.
std::vector<float> step_advantages(std::span<const float> rewards, std::span<const float> values,
                                   const std::vector<bool>& ended, double gamma, double lambda);

}  // namespace pitot::learn
