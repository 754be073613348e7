// Which PTX of A belongs to which of B: files, directories and binaries as sets of modules.
#pragma once

#include <string>
#include <vector>

#include "cli.h"
#include "ptx/module.h"

namespace pitot::cli {

// One module a side; an empty module where the other side has no partner.
struct ModulePair {
  ptx::Module a, b;
  bool only_a = false, only_b = false;
};

// Two single modules pair up whatever their names. Otherwise by path below the two roots.
std::vector<ModulePair> read_pairs(const std::string& a, const std::string& b, Options& options);

}  // namespace pitot::cli
