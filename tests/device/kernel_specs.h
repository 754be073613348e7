// The repository's kernel specs at all their sizes, on the emulator and on the GPU.
#pragma once

#include <string>
#include <vector>

#include "compare.h"
#include "support/result.h"

namespace pitot::conformance {

// One file of PTX that a spec describes.
struct SpecFile {
  std::string spec, ptx, entry, name;
};

// All under a directory whose target runs on sm_90.
Result<std::vector<SpecFile>> spec_files(const std::string& directory);

// Runs every size on both; a spelling stands for the kernel and its output. Uses a child process
// for the GPU, so not where a driver is loaded already.
Comparison compare_spec(const SpecFile& file);

}  // namespace pitot::conformance
