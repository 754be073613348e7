// Other tuners' results in the form of our data sets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "variants/tuner_result.h"

namespace pitot::variants {

struct ImportRow {
  TunerRow tuned;
  size_t file = 0;  // of ImportResult::files
  // What was compiled here; empty or 0 where nothing was.
  std::string ptx_hash, target, compiler, launchable, launch_problem;
  std::array<uint32_t, 3> grid{0, 0, 0}, block{0, 0, 0};
  uint64_t dynamic_shared = 0;  // bytes
};

struct ImportResult {
  std::string family, size;  // the kind of the size, one for all rows
  std::vector<std::string> parameters;
  std::vector<TunerResult> files;    // without their rows
  std::vector<std::string> targets;  // one a file, of its device: "sm_86"; empty: not known
  std::vector<ImportRow> rows;
  std::string template_path;  // that was written; empty: none
};

}  // namespace pitot::variants
