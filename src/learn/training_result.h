// What a training did, in plain data: for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::learn {

struct EpochRecord {
  std::string phase;   // "clone" or "grpo"
  uint64_t epoch = 0;  // of the phase, from 1
  double time = 0;     // seconds since 1970
  double loss = 0;
  double accuracy = 0;  // clone: share of the greedy search's choices that are the likeliest
  double reward = 0;    // grpo: mean of the episodes
  double likeliest_reward = 0;  // mean of the likeliest sequences on the training kernels
  double kl = 0, clipped = 0;   // grpo, of the last pass
  double entropy = 0;           // grpo: normalised, 0 to 1
  double entropy_weight = 0, temperature = 0;
};

// The best policy's likeliest sequence of one kernel.
struct TrainedKernel {
  std::string kernel;
  bool held_out = false;
  std::vector<std::string> sequence;
  double reward = 0, oracle = 0;
  bool failed = false;
};

struct TrainingResult {
  std::vector<EpochRecord> epochs;
  std::string kind, cost, table;  // table: its hash
  uint64_t seed = 0, weights = 0;
  uint64_t imitated_steps = 0;
  double best_accuracy = 0;
  std::string best_phase;
  uint64_t best_epoch = 0;
  double best_reward = 0;  // mean on the training kernels
  std::vector<TrainedKernel> kernels;
};

}  // namespace pitot::learn
