// `profile --device cuda`: hardware counters in place of the model.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct GpuProfileArguments {
  std::string device, spec, ptx, entry;
  std::string kernel;                   // as the PTX names it
  std::vector<std::string> size_texts;  // "n=4096 k=64", one a launch
  double seconds = 120;                 // a launch, with ncu's passes
  std::vector<std::string> metrics;     // empty: those that profile models
};

// Runs this program under Nsight Compute once a size and prints what it counted. Exit code 3
// without a GPU or ncu.
void profile_on_gpu(const GpuProfileArguments& args, Options& options);

}  // namespace pitot::cli
