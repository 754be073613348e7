// Differences of two functions that are not one program: aligned, what was added, removed, moved,
// changed and rewired.
#pragma once

#include <vector>

#include "gate/align.h"
#include "gate/diff_result.h"
#include "gate/side.h"

namespace pitot::gate {

// Instruction pairs of the alignment, in the order of A; moved ones may cross.
struct Alignment {
  std::vector<IndexPair> pairs;
  std::vector<bool> matched_a, matched_b, moved_a;
};

Alignment align_functions(const Side& a, const Side& b);

// Fills everything of `out` but the class, names and counts.
void diff_structure(const Side& a, const Side& b, KernelDiff& out);

}  // namespace pitot::gate
