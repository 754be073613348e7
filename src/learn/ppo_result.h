// What training by PPO over compile knobs did and found, in plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::learn {

// One rollout and the gradient steps on it. Rewards are means over steps, unless it says sum.
struct PpoUpdate {
  uint64_t steps = 0;           // of the environment, this rollout's included
  double time = 0;              // when it ended, seconds since 1970
  double reward = 0;            // of the rollout's steps
  double episode_reward = 0;    // sum over an episode, mean of the last 100 that ended
  double likeliest_reward = 0;  // of the likeliest choices, an episode a training case
  double policy_loss = 0, value_loss = 0, entropy = 0, kl = 0, clipped = 0;  // means of minibatches
  double explained_variance = 0;  // of the returns, by the values that the rollout began with
  uint64_t measured = 0;          // distinct configurations so far, over all cases
};

// What the best policy chooses first in a case, the default having been observed.
struct PpoCase {
  std::string kernel;
  int64_t matrix_size = 0;
  bool held_out = false;
  std::vector<int64_t> settings;
  double ms = 0;  // 0: it does not run
  double default_ms = 0, least_ms = 0;
  uint64_t measured = 0;  // distinct configurations of the case that training met
  double regret() const { return ms > 0 ? ms / least_ms - 1 : 0; }
  double speedup() const { return ms > 0 ? default_ms / ms : 0; }
};

struct PpoResult {
  std::vector<PpoUpdate> updates;
  std::string table;  // its hash
  std::vector<std::string> knobs;
  uint64_t seed = 0, steps = 0;
  uint32_t max_steps = 0;
  bool states = true, sizes = false;
  uint64_t policy_weights = 0, value_weights = 0;
  uint64_t encoder_weights = 0;  // of the graphs; 0 without
  uint64_t best_steps = 0;       // when the best policy was met; 0: before training
  double best_reward = 0;        // a step
  std::vector<PpoCase> cases;
};

}  // namespace pitot::learn
