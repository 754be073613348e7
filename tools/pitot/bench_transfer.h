// pitot bench transfer: what becomes of speed-ups on another GPU, by another clock or for another
// target.
#pragma once

#include <string>
#include <vector>

#include "bench_run.h"

namespace pitot::cli {

struct TransferArguments {
  std::string archive, settings, target;
  std::vector<std::string> tasks{kDefaultTasks}, only;
  JudgeArguments judge;
};
void run_bench_transfer(const TransferArguments& args, Options& options);

}  // namespace pitot::cli
