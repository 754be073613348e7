// `knobs orders`: in which order trained policies would measure.
#pragma once

#include <string>
#include <vector>

#include "cli.h"

namespace pitot::cli {

struct OrdersArguments {
  std::string table, output;
  std::vector<std::string> policies;
};

void run_orders(const OrdersArguments& args, Options& options);

}  // namespace pitot::cli
