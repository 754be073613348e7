// `knobs families`: the families of a data set as knob spaces, searched by a ranker that has
// learned from other families, and by searches that know nothing.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct KnobsFamiliesArguments {
  std::vector<std::string> data;
  std::string apart, model = "default", output;
  bool left_out = false;  // each of the other families by trees that learn from the rest of them
  uint64_t measured = 5;
  std::vector<uint64_t> budgets = {1, 2, 5, 10, 20, 50};
  uint64_t seeds = 100;
};

void run_knobs_families(KnobsFamiliesArguments& args, Options& options);

}  // namespace pitot::cli
