// Writes a kernel's `.maxnreg`.
#pragma once

#include "ptx/rewriter.h"

namespace pitot::ptx {

// In place of the one that counts, else behind the last directive. PTX ISA, "Performance-Tuning
// Directives".
void set_maxnreg(const Function& kernel, uint32_t limit, Rewriter& out);

}  // namespace pitot::ptx
