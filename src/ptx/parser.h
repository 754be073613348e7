// Text → Module. Never fails: what is wrong is in Module::diagnostics and parsing goes on.
#pragma once

#include <string>

#include "ptx/module.h"
#include "support/result.h"

namespace pitot::ptx {

// Parses one module. The text may be at most 4 GiB − 1 bytes; a longer one gives a module with one
// error.
Module parse(SourceText source);
Module parse(std::string path, std::string text);

// Reads and parses a file or standard input ("-"). Fails only when it cannot be read.
Result<Module> parse_file(const std::string& path);

}  // namespace pitot::ptx
