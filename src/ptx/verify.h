// Checks a parsed module as ptxas would: operands, names, declarations, limits, versions and
// targets.
#pragma once

#include <optional>

#include "ptx/module.h"
#include "support/diagnostic.h"

namespace pitot::ptx {

struct VerifyOptions {
  // Check as if the module were for this target instead of the one it names.
  std::optional<Target> target;
};

// Adds what is wrong to `out`; syntax and undeclared names are the parser's, in
// Module::diagnostics. Errors are what ptxas 13.0 rejects. Linear in the module's size;
// docs/diagnostics.md lists the codes.
void verify(const Module& module, const VerifyOptions& options, Diagnostics& out);

}  // namespace pitot::ptx
