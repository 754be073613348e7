// The facts of what an instruction writes: integers by transfer.h; loads, warp operations and the
// rest by what the PTX ISA says of who sees which result.
#pragma once

#include "analysis/transfer.h"

namespace pitot::analysis {

struct InstructionResult {
  ValueFacts main;    // of every destination that is not told apart below
  ValueFacts second;  // p|q: of q
  bool has_second = false;
  uint8_t part_width = 0;     // an unpacking move: bits of each element of `main`, else 0
  uint8_t width = 64;         // bits of the result; a wider register is filled
  bool sign_extends = false;  // with copies of the sign

  ValueFacts of(const RegAccess& write, unsigned register_width) const;
};

// With the facts so far of what it reads.
InstructionResult result_facts(const FlowFacts& flow, const Uniformity& u, uint32_t instruction);

}  // namespace pitot::analysis
