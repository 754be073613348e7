// What a constant means: the number behind its bits, in the type that it is used as.
#pragma once

#include <cstdint>
#include <string>

#include "gate/side.h"

namespace pitot::gate {

// "0.5", "-inf", "nan", "(1, -2)" for packed pairs, decimal for integers. `type` must have a size.
std::string decode_bits(uint64_t bits, ptx::Type type);

// The type a constant operand is used as: that of the instruction, or, where that is only bits
// (mov, selp, stores …), the type of the first arithmetic that the register it reaches feeds.
// Literals written 0f… or 0d… are f32 and f64 when nothing else is known.
ptx::Type type_of_constant(const Side& s, uint32_t instruction, const ptx::Operand& o);

// The constant operand's value in that type.
std::string decode_constant(const Side& s, uint32_t instruction, const ptx::Operand& o);

}  // namespace pitot::gate
