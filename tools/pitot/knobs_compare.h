// `knobs compare`: searches held against each other on one recorded sweep.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct KnobsCompareArguments {
  std::string table, output;
  std::vector<std::string> ranked, orders;  // NAME=FILE
  std::vector<uint64_t> budgets = {1, 5, 10, 20, 50, 100};
  std::vector<int64_t> baseline;
  uint64_t seeds = 100;
};

void run_knobs_compare(const KnobsCompareArguments& args, Options& options);

}  // namespace pitot::cli
