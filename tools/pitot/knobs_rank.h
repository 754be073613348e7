// `knobs rank`: in which order the ranker of kernels would measure the configurations of a sweep,
// before any measurement or after a few.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct KnobsRankArguments {
  std::string table, features, output, model = "default";
  std::vector<std::string> data;  // what is learned from beside the measurements
  uint64_t measured = 0;          // configurations of a case that the model learns from
  uint64_t draws = 0;             // of those; 0: the model's own first ones
  bool distinct = false;          // what runs alike is measured once, before the rest
  uint64_t first = 100;           // of each order that are written
};

void run_knobs_rank(const KnobsRankArguments& args, Options& options);

}  // namespace pitot::cli
