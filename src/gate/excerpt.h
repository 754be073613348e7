// The changed lines of a kernel pair side by side, with a little context.
#pragma once

#include "gate/diff_result.h"
#include "gate/program_match.h"
#include "gate/structural_diff.h"

namespace pitot::gate {

// At most about this many lines; what is left out is marked by a gap.
inline constexpr size_t kExcerptLines = 160;

void excerpt_of_match(const Side& a, const Side& b, const ProgramMatch& match, KernelDiff& out);
void excerpt_of_alignment(const Side& a, const Side& b, const Alignment& alignment,
                          KernelDiff& out);

}  // namespace pitot::gate
