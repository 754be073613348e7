// Episodes of an environment played by some policy, with the columns of the published logs
// (phase3_rollout.csv, phase3_episode_summary.csv).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "knobs/environment.h"

namespace pitot::knobs {

struct RolloutStep {
  uint64_t episode = 0, seed = 0;
  uint32_t step = 0;
  Case at;
  std::vector<int64_t> settings;
  double baseline_ms = 0, speedup = 0, reward = 0;
  Reading reading;
};

struct Rollout {
  std::vector<std::string> knobs;
  uint32_t max_steps = 0;
  bool counters = false, states = false;  // whether any step had them
  std::vector<RolloutStep> steps;         // episode after episode
};

// What to do after an observation.
using Policy = std::function<Result<Choice>(std::span<const float> observation)>;
// Every value of every knob is as likely as the others, whatever is observed.
Policy random_policy(const Space& space, uint64_t seed);

struct RolloutOptions {
  uint64_t episodes = 5;   // of each case, or in all
  bool every_case = true;  // else cases are drawn
  uint64_t seed = 1;       // of the first episode; each next one has the next
};

// Errors: the environment's, the policy's.
Result<Rollout> play(Environment& environment, const std::vector<Case>& cases, uint32_t max_steps,
                     const Policy& policy, const RolloutOptions& options);

// episode_id, episode_seed, step, kernel, matrix_size, block_size, reg_cap, time_ms, baseline_ms,
// speedup, reward, cupti_ok, cupti_reason, four cupti_…_norm, four nvml_…_norm; further knobs. No
// time where the configuration does not run; its reason is in cupti_reason.
std::string rollout_csv(const Rollout& rollout);
// episode_id, episode_seed, kernel, matrix_size, max_steps, use_cupti, use_nvml, baseline_ms,
// mean_time_ms, mean_reward, best_speedup, best_reward, steps. Means are over the steps: the
// published "mean reward" of an episode was a sum. Times are over the steps that ran.
std::string episodes_csv(const Rollout& rollout);

}  // namespace pitot::knobs
