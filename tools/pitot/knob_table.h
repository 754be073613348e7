// A sweep's CSV as a table.
#pragma once

#include <optional>
#include <string>

#include "cli.h"
#include "knobs/table.h"

namespace pitot::cli {

// Nothing after complaints, which are printed; exit code 2.
std::optional<knobs::Table> read_knob_table(const std::string& path, Options& options);

}  // namespace pitot::cli
