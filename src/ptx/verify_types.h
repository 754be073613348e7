// Which registers, constants and arguments an operand of a given type accepts (PTX ISA, "Operand
// Type Checking"; the cases that the text leaves open were settled by trying ptxas 13.0).
#pragma once

#include <string>

#include "ptx/module.h"
#include "ptx/types.h"

namespace pitot::ptx {

// Whether a register of type `reg` may stand where `wanted` is expected. `wider`: ld, st and cvt
// take larger registers. `fixed`: the type is the instruction's own, not one of its type modifiers.
bool register_fits(Type wanted, Type reg, bool wider, bool fixed);

// Whether a literal may stand where `wanted` is expected. Integers are never too large: ptxas cuts
// them.
bool constant_fits(Type wanted, OperandKind literal);

// Whether an argument of type `actual` may be passed for a parameter of type `formal`.
bool argument_fits(Type formal, Type actual);

// The type that a vector of registers counts as: their common type, or the bit type of their size
// when they differ in kind. kNone when the sizes differ.
Type common_type(Type a, Type b);

// u16 → u32, s32 → s64, b32 → b64; kNone when there is no such type.
Type doubled(Type t);

// The bit type of the given width, or kNone.
Type bit_type(unsigned bits);

// "a 32-bit integer (.b32, .u32 or .s32)": the register classes for a message.
std::string register_classes(Type wanted, bool wider);

}  // namespace pitot::ptx
