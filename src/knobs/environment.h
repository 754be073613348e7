// The environment of spec 4 (Gymnasium's terms): an episode chooses knobs for one kernel at one
// size, again and again, and each choice is rewarded by its speedup over the default.
//
// Observation, each within 0…1: which kernel (one of n), the previous choice (index over the last
// index, one a knob), four counters (zeros where there are none), four states of the GPU by NVML
// (with `states`; zeros where there are none), the size (with `sizes`). Of the published space,
// three kernels and two knobs, that is 3 + 2 + 4 + 4 = 13, or 9 without NVML.
// Reward: baseline_ms / ms − 1; −1 for a configuration that does not run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knobs/readings.h"
#include "measure/random_draws.h"

namespace pitot::knobs {

struct EnvironmentOptions {
  uint32_t max_steps = 20;  // of an episode, at least 1
  bool states = true;
  // The published observation does not tell the size of a matrix; this one does: log2 over 16.
  bool sizes = false;
  // Cases that episodes are drawn from, by number; empty: all.
  std::vector<size_t> cases;
  // The default that others are held against; a knob without one: 256 for block_size, 0 for
  // reg_cap, the first value of any other.
  std::vector<int64_t> baseline;
};

struct Step {
  std::vector<float> observation;
  double reward = 0;
  bool truncated = false;  // max_steps were made: an episode has no other end
  Reading reading;
  double baseline_ms = 0, speedup = 0;  // 0 where it does not run
};

// The configuration that others are held against, as EnvironmentOptions says. Errors (kInput): the
// space does not have it.
Result<Choice> baseline_of(const Space& space, std::vector<int64_t> settings);

class Environment {
 public:
  // Errors (kInput): no such case, a baseline that the space does not have.
  static Result<Environment> make(Readings& readings, EnvironmentOptions options);

  size_t observation_size() const;
  const Space& space() const { return readings_->space(); }
  // Draws a case, or takes it, and reads its baseline. Errors: the readings', and a baseline that
  // does not run.
  Result<std::vector<float>> reset(uint64_t seed, std::optional<size_t> number = std::nullopt);
  // The next episode of the same stream of draws.
  Result<std::vector<float>> reset();
  // An episode of this case; nothing is drawn. Errors: as of reset(seed).
  Result<std::vector<float>> begin(size_t number);
  // After reset(), until truncated. Errors: the readings', a choice out of range.
  Result<Step> step(std::span<const uint32_t> choice);

  // For each knob its values in turn: whether any configuration with it may run in this case.
  std::vector<bool> mask() const;
  size_t number() const { return number_; }  // of the case
  double baseline_ms() const { return baseline_ms_; }
  uint32_t steps() const { return steps_; }

 private:
  Environment(Readings& readings, EnvironmentOptions options)
      : readings_(&readings), options_(std::move(options)) {}
  std::vector<float> observation(const Reading& last) const;

  Readings* readings_;
  EnvironmentOptions options_;
  std::vector<std::string> kernels_;
  Choice baseline_, previous_;
  measure::RandomDraws draws_{0};
  size_t number_ = 0;
  double baseline_ms_ = 0;
  uint32_t steps_ = 0;
};

}  // namespace pitot::knobs
