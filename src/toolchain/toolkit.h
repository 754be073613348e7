// Toolkit: the CUDA programs found on this machine and what they can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot::toolchain {

struct Tool {
  std::string path;     // absolute; empty: not found
  std::string release;  // "13.0"
  std::string version;  // "13.0.88"
  std::string build;    // "cuda_13.0.r13.0/compiler.36424714_0"; empty if the tool does not say
  bool found() const { return !path.empty(); }
};

struct Toolkit {
  Tool ptxas;
  Tool nvcc;
  std::vector<std::string> targets;  // of ptxas -arch: "sm_75", …, "sm_90a", in its order
  uint16_t newest_ptx =
      0;  // highest .version ptxas takes, major × 10 + minor; 0 if it does not say
  std::vector<std::string> searched;  // places looked at, for the message when nothing is there

  bool supports(std::string_view target) const;
};

struct ToolkitOptions {
  std::string ptxas{};  // this file and no other
};

// Looks for ptxas and nvcc: the option, $PITOT_PTXAS (ptxas only), PATH, $CUDA_HOME/bin,
// $CUDA_PATH/bin, /usr/local/cuda/bin, then /usr/local/cuda-*/bin, newest first. kMissing without a
// ptxas that runs; a missing nvcc is no error.
Result<Toolkit> find_toolkit(const ToolkitOptions& options = {});

// The parts that read what the tools print.
Tool parse_version(std::string_view version_output);
std::vector<std::string> parse_targets(std::string_view help_output);
// From ptxas' complaint about a .version that is too new; 0 if it says nothing of the kind.
uint16_t parse_newest_ptx(std::string_view complaint);

}  // namespace pitot::toolchain
