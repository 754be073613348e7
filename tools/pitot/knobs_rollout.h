// `knobs rollout`: episodes of the environment, logged with the published columns.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct RolloutArguments {
  std::vector<std::string> sources;  // a sweep, or templates
  std::string device = "table", gpu, directory = "knobs", policy = "random", steps_file,
              episodes_file;
  std::vector<int64_t> sizes, baseline;
  double batch_ms = 0.2, time_limit = 120;  // of --device cuda
  bool preload = false;
  uint64_t episodes = 5;
  uint32_t max_steps = 20;
  bool drawn = false;
};

void run_rollout(const RolloutArguments& args, Options& options);

}  // namespace pitot::cli
