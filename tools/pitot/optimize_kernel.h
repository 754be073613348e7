// The kernels that optimize works on: specs as written, those below directories, and lists of
// launches (kernels/triton.toml).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "candidates.h"
#include "search/search.h"

namespace pitot::cli {

// A kernel in one launch, as it is named.
struct LaunchSource {
  std::string name;              // of its log and output; unique among those of a command
  std::string group;             // the list's "class"
  std::string spec, ptx, entry;  // ptx: in place of the spec's
  std::string set;               // "n=4096 k=64": in place of the spec's sizes
  std::string size = "full";     // kind of the spec's size that is taken; else its first
};

// Errors are printed, and the rest goes on.
std::vector<LaunchSource> read_launch_sources(const std::vector<std::string>& paths,
                                              const LaunchSource& like, Options& options);

struct OptimizeKernel {
  LaunchSource source;
  Candidate candidate;                                // in its launch
  std::shared_ptr<const device::KernelSpec> checked;  // the spec with its own sizes
  std::string spec_hash;
  search::Kernel kernel;
};
// Nothing after errors, which are printed.
std::optional<OptimizeKernel> read_optimize_kernel(const LaunchSource& source, bool round_otherwise,
                                                   Options& options);

}  // namespace pitot::cli
