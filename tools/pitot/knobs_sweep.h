// `knobs sweep` and `knobs counters`: every configuration of knob templates, timed on a GPU or
// modelled on the emulator, and its counters.
#pragma once

#include <string>
#include <vector>

#include "cli.h"
#include "knobs/sweep_result.h"
#include "subjects.h"

namespace pitot::cli {

struct SweepArguments {
  std::vector<std::string> templates;
  std::string output, directory, store, gpu;
  std::string features;        // modelled: what the ranker sees of each row goes there too
  std::vector<int64_t> sizes;  // matrix sizes; empty: all of the templates
  TimingArguments timing;      // device "emu": modelled
  double warmup = 0.05, warmup_limit = 1;
  bool counters = false;         // phase 1's columns too
  double counter_seconds = 120;  // time limit of Nsight Compute for one variant, all its sizes
};

void run_sweep(const SweepArguments& args, Options& options);

}  // namespace pitot::cli
