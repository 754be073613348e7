// The verb of a command line: whether there is such a one, and which was meant if not.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace pitot::cli {

// A sentence for standard error when the first word that is no option names no verb; empty when
// all is well or there is no word at all.
std::string unknown_verb(const CLI::App& app, int argc, const char* const* argv);

}  // namespace pitot::cli
