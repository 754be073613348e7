// Chooses the function that executes an instruction. One select_<family> a family of instructions.
#pragma once

#include <array>
#include <span>

#include "emulator/program.h"

namespace pitot::emulator {

// What a family looks at, and what it fills in of the operation (run, flow, variant, imm).
struct Selection {
  const ptx::Opcode& opcode;
  std::array<ptx::Type, 4> types{};   // bound type variables of the form that the operands fit
  ptx::Type type = ptx::Type::kNone;  // types[0], or the opcode's own
  std::span<const Slot> slots;
  std::span<const OperandPlace> operands;
  Op& op;
  bool in_kernel = true;                        // the function is an entry
  ptx::Space symbol_space = ptx::Space::kNone;  // where the variable lies that the address names
  int64_t lop3_table = 0;                       // the last integer literal among the operands

  bool has(ptx::Mod m) const { return opcode.has_mod(m); }
  const Slot* slot_of(size_t operand, size_t element = 0) const {
    if (operand >= operands.size() || element >= operands[operand].count) return nullptr;
    return &slots[operands[operand].first + element];
  }
};

// Each returns false when the instruction is not of the family or not covered by it.
using Family = bool (*)(Selection&);

// Tries all families.
bool select_operation(Selection& s);

}  // namespace pitot::emulator
