// Names in a file: which families or kernels a split holds out.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace pitot::cli {

// One a line; blank lines and those that begin with # do not count.
Result<std::vector<std::string>> read_names(const std::string& path);

}  // namespace pitot::cli
