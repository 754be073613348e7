// What ptxas does to loops, as far as it takes registers: which it unrolls, and which parameters it
// keeps in registers there.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/register_values.h"

namespace pitot::analysis {

struct RegisterLoops {
  // By loop: turns that ptxas 13.0 makes one of; 1 where it leaves the loop alone. It unrolls
  // innermost loops that count by a constant, are left in one place and call nothing.
  std::vector<uint32_t> turns;
  // By block: registers of the parameters and launch constants that the block reads; that the
  // innermost and the outermost loop around it read (0 outside loops). sm_90 loads these before the
  // loop, where sm_80 takes them as operands from the constant bank.
  std::vector<float> block_parameters, inner_parameters, outer_parameters;

  // `may_unroll`, by block: no pragma forbids to unroll the loop that it heads.
  void build(const FlowFacts& flow, const RegisterValues& values,
             const std::vector<uint8_t>& may_unroll);
};

// Whether ptxas turns the operation into a call of a subroutine on some path.
bool calls_subroutine(const ptx::Opcode& op);

// Registers besides its operands of the sequence or subroutine that ptxas emits for a full-range
// operation, found by trying; 0 for other operations.
double subroutine_units(const ptx::Opcode& op);

}  // namespace pitot::analysis
