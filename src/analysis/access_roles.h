// The one place that knows which registers an instruction reads and writes: operands by the roles
// of the instruction table, the guard, vector elements, address bases, d|p pairs, call lists, carry
// flag.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ptx/module.h"

namespace pitot::analysis {

using ptx::kNoId;
using ptx::RegId;

enum class Role : uint8_t {
  kGuard,        // the predicate of @p; operand is kImplicitOperand
  kSource,       // value operand
  kAddress,      // base or coordinate inside [ ]
  kArgument,     // passed to a call, or the target of an indirect one
  kReturnValue,  // register that a `ret` of a .func with .reg returns hands back
  kCarry,        // the implicit condition-code register, read or written
  kResult,       // destination
  kCallResult,   // destination in the return list of a call
};

inline constexpr uint8_t kImplicitOperand = 0xff;

// One read or one write; an operand that is both has two entries.
struct RegAccess {
  RegId reg = kNoId;     // into Function::registers, or carry_register()
  uint16_t element = 0;  // position inside the operand's braces, pair or list; 0 for a scalar
  uint8_t operand = kImplicitOperand;  // index among the instruction's operands
  Role role : 4 = Role::kSource;
  bool write : 1 = false;
  bool conditional : 1 = false;  // write under a guard: the old value may stay
  bool partial : 1 = false;      // write of one element of a vector register
  bool kills() const { return write && !conditional && !partial; }
};
static_assert(sizeof(RegAccess) == 8);

// The carry flag takes the number after the last register, so per-register tables need one more
// slot.
inline RegId carry_register(const ptx::Function& f) {
  return static_cast<RegId>(f.registers.size());
}
inline uint32_t register_slots(const ptx::Function& f) {
  return static_cast<uint32_t>(f.registers.size()) + 1;
}

// The form of the table that the operands fit; the opcode's first form when none does, null when
// the spelling has none at all (then roles_known() is false and the first operand counts as
// written).
const ptx::Form* form_for(const ptx::Module& m, const ptx::Instruction& i);
bool roles_known(const ptx::Instruction& i);

// Appends the accesses of one instruction: reads first, then writes, each in operand order.
void append_accesses(const ptx::Module& m, const ptx::Function& f, const ptx::Instruction& i,
                     std::vector<RegAccess>& out);

// All accesses of a function, by instruction and by register. Instruction numbers are relative to
// the function. `build` keeps the capacity of an earlier use.
struct Accesses {
  std::vector<RegAccess> items;          // in instruction order
  std::vector<uint32_t> first;           // instruction → its first item; one past at the end
  std::vector<uint32_t> instruction_of;  // item → instruction
  std::vector<uint32_t> register_items;  // items grouped by register, in instruction order
  std::vector<uint32_t> register_first;  // register slot → into register_items; one past at the end

  void build(const ptx::Module& m, const ptx::Function& f);

  std::span<const RegAccess> of(uint32_t instruction) const {
    return std::span(items).subspan(first[instruction],
                                    first[instruction + 1] - first[instruction]);
  }
  std::span<const uint32_t> of_register(RegId reg) const {
    return std::span(register_items)
        .subspan(register_first[reg], register_first[reg + 1] - register_first[reg]);
  }
};

}  // namespace pitot::analysis
