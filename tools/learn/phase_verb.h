// `pitot learn phase`: the phase detector, trained and judged on kernels that it has not seen.
#pragma once

#include "cli.h"

namespace pitot::cli {

void add_phase(CLI::App& app, Options& options);

}  // namespace pitot::cli
