// Reads of registers that no write has reached.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::analysis {

enum class Certainty : uint8_t {
  kDefinite,  // whenever the instruction takes effect, the register was never written
  kPossible,  // on some path that guards and branches do not exclude
  // Every such path passes a write under a guard that may be off: a masked load without a fallback,
  // whose garbage the other lanes carry along. Compilers emit this; it is harmless as long as those
  // lanes' results are masked again. Reads that store, address, branch or guard are kPossible.
  kMasked,
};

struct UndefinedRead {
  uint32_t instruction = 0;
  uint8_t operand = kImplicitOperand;
  RegId reg = kNoId;
  RegId origin = kNoId;  // the unwritten register itself, when plain moves brought it here
  Certainty certainty = Certainty::kPossible;
  bool operator==(const UndefinedRead&) const = default;
};

// In instruction order, once per instruction and register. Not reported: plain register moves (the
// reads of what they copy to are), unreachable code, and reads that are only made where a write has
// been made: under the guard of the write, behind a branch on it, or on its value by other names
// (copies, negations, parts of and/or, equal compares). The carry flag is not looked at. Searching
// a single read is cut off after a fixed number of steps; it then counts as possible.
std::vector<UndefinedRead> undefined_reads(const FlowFacts& facts, Workspace& ws);

}  // namespace pitot::analysis
