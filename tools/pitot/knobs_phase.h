// `knobs phase`: what a trained detector says of windows of counters.
#pragma once

#include <string>

#include "cli.h"

namespace pitot::cli {

struct PhaseArguments {
  std::string windows, detector, output;
};

void run_phase(const PhaseArguments& args, Options& options);

}  // namespace pitot::cli
