// How integer instructions transform ValueFacts; the table behind uniformity and known bits.
#pragma once

#include <array>

#include "analysis/int_ops.h"
#include "analysis/uniformity.h"

namespace pitot::analysis {

inline ValueFacts constant_facts(uint64_t v) { return {Bits::constant(v), Scope::kGrid}; }
inline ValueFacts unknown_facts(unsigned width, Scope level) {
  if (level == Scope::kVarying) return {Bits::varying(width), Scope::kWarp};
  return {Bits::uniform(width), level};
}

// The facts of a value that is one or the other, chosen per lane if `divergent`.
ValueFacts merge(const ValueFacts& a, const ValueFacts& b, Scope choice);

// First result of an instruction for sources in operand order (destination left out), at its result
// width. `second` (for setp's second predicate) may be null.
ValueFacts transfer(const IntInstruction& i, std::span<const ValueFacts> sources,
                    ValueFacts* second);

// A symbol's address plus a displacement: what its alignment says of the low bits.
ValueFacts symbol_facts(const ptx::Symbol& symbol, int64_t displacement, unsigned width,
                        bool in_entry);

}  // namespace pitot::analysis
