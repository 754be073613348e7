// pitot learn graph: the graph encoder on measured variants.
#pragma once

#include "cli.h"

namespace pitot::cli {

void add_graph(CLI::App& app, Options& options);

}  // namespace pitot::cli
