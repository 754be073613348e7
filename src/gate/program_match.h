// Finds and proves that two functions are one program up to names, legal order, and what a
// tolerance allows.
#pragma once

#include <optional>
#include <vector>

#include "gate/align.h"
#include "gate/operand_match.h"
#include "gate/side.h"

namespace pitot::gate {

struct ProgramMatch {
  std::vector<IndexPair> pairs;             // all instructions but plain jumps
  std::vector<PairDifference> differences;  // one a pair
  bool permuted = false;                    // instructions change places inside a block
  bool blocks_moved = false;
  PairDifference any;  // the union of the differences
};

// Tries, from the narrowest to the widest: same order exactly, permuted exactly, then with
// constants, then with modifiers tolerated. Nothing when none can be proved. `symbols` holds what
// is already known to correspond (parameters) and grows on success.
std::optional<ProgramMatch> match_programs(const Side& a, const Side& b, Bijection& symbols);

}  // namespace pitot::gate
