// The facts of what an instruction writes: integers by transfer.h; loads, warp operations and the
// rest by what the PTX ISA says of who sees which result.
#pragma once

#include <array>

#include "analysis/transfer.h"

namespace pitot::analysis {

struct InstructionResult {
  static constexpr size_t kMaxElements = 8;
  ValueFacts main;    // of every destination that is not told apart below
  ValueFacts second;  // p|q: of q
  bool has_second = false;
  std::array<ValueFacts, kMaxElements> elements;  // of an unpacking move
  uint8_t element_count = 0;
  uint8_t width = 64;         // bits of the result; a wider register is filled
  bool sign_extends = false;  // with copies of the sign

  ValueFacts of(const RegAccess& write, unsigned register_width) const;
};

// With the facts so far of what it reads.
InstructionResult result_facts(const FlowFacts& flow, const Uniformity& u, uint32_t instruction);

}  // namespace pitot::analysis
