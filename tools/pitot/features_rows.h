// pitot features --rows: kernels in their launches, one row a spec and size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct FeatureRowsArguments {
  std::vector<std::string> paths;  // kernel specs, or folders of them
  std::string gpu;                 // empty: one of the PTX's target
  bool emulate = true;
  uint64_t blocks = 0;  // 0: the library's default
  bool ptxas = false;   // ask it for registers, spills and code
};

void print_feature_rows(const FeatureRowsArguments& args, Options& options);

}  // namespace pitot::cli
