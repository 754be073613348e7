// `pitot learn ppo`: PPO over compile knobs on a recorded sweep.
#pragma once

#include "cli.h"

namespace pitot::cli {

void add_ppo(CLI::App& app, Options& options);

}  // namespace pitot::cli
