// Operand values that find faults: special values, ties of rounding, neighbours, random bits.
#pragma once

#include "case.h"

namespace pitot::conformance {

// Bits of a value of the type; packed types are drawn element by element.
uint64_t draw_value(Random& r, ptx::Type t);
// One that is near to `other` in a way that matters: equal, negated, a neighbour, cancelling.
uint64_t related_value(Random& r, ptx::Type t, uint64_t other);
// A shift amount, a position or a length.
uint64_t draw_amount(Random& r);

}  // namespace pitot::conformance
