// `profile --device cuda`: hardware counters in place of the model.
#pragma once

#include <string>
#include <vector>

#include "cli.h"
#include "measure/counters.h"

namespace pitot::cli {

struct GpuProfileArguments {
  std::string device, spec, ptx, entry;
  std::string kernel;                   // as the PTX names it
  std::vector<std::string> size_texts;  // "n=4096 k=64", one a launch
  double seconds = 120;                 // a launch, with ncu's passes
  std::vector<std::string> metrics;     // empty: those that profile models
};

// One launch of a spec on a GPU, by this program.
struct CountedRun {
  std::string device, spec, ptx, entry;  // ptx, entry: empty for the spec's
  std::string kernel;                    // as the PTX names it
  std::string size_text;                 // "n=4096 k=64"; empty: the spec's sizes
  uint64_t seed = 0;
  double seconds = 120;         // with ncu's passes
  std::vector<size_t> sizes{};  // of the spec's, by number; empty: all
};
// Its counters by Nsight Compute, a launch a size; errors as of measure::count_all().
Result<std::vector<measure::KernelCounters>> count_runs(const CountedRun& run,
                                                        measure::CounterOptions how);
// Of the first launch.
Result<measure::KernelCounters> count_run(const CountedRun& run, measure::CounterOptions how);

// Runs this program under Nsight Compute once a size and prints what it counted. Exit code 3
// without a GPU or ncu.
void profile_on_gpu(const GpuProfileArguments& args, Options& options);

}  // namespace pitot::cli
