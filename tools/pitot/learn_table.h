// pitot learn table: a recorded table from kernel specs and the logs of their searches.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct TableArguments {
  std::vector<std::string> specs, logs;
  std::string output, actions = "wide";
  uint32_t max_steps = 6;
  bool round_otherwise = false;
};

void run_table(const TableArguments& args, Options& options);

}  // namespace pitot::cli
