// Whether a register still holds a value where it is wanted, and what reads a value.
#pragma once

#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::transform {

// Whether the register of `v` holds it just before the instruction, on every way there. The value's
// definition has to dominate the instruction: true of values that are read where the instruction is
// dominated by the reader. Silent (false) where that takes more than a look at the writes: a
// register written once, or a value of the instruction's own block.
bool still_held(const analysis::FlowFacts& flow, analysis::ValueId v, uint32_t instruction);

// Instruction a is executed before b on every way to b.
bool comes_before(const analysis::FlowFacts& flow, uint32_t a, uint32_t b);

// By value: whether a phi or a conditional write hands it on, so that its reads are not all there
// is.
std::vector<uint8_t> handed_on(const analysis::FlowFacts& flow);

// The instruction that wrote the whole value, whatever held before; kNone if there is none.
uint32_t sole_writer(const analysis::FlowFacts& flow, analysis::ValueId v);

// Whether the register's name means that register at an instruction: it is declared before it, in
// its scope or around that, and nothing further in is called the same.
bool is_visible(const ptx::Function& f, ptx::RegId reg, const ptx::Instruction& at);

// Both have the same guard, or none: one is executed exactly by the lanes that execute the other,
// where both are reached.
bool same_guard(const analysis::FlowFacts& flow, uint32_t a, uint32_t b);

}  // namespace pitot::transform
