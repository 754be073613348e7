// Spellings of one operation, and how much two operations differ: `setp.hi.u32` and `setp.gt.u32`
// are one, `setp.ne.f32` and `setp.neu.f32` differ in a modifier, `add` and `sub` in everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace pitot::gate {

// One distinct opcode of a module, in normal form.
struct Operation {
  std::string text;             // normal spelling: bit-neutral types as .bN, defaults dropped
  uint64_t key = 0;             // hash of `text`
  uint64_t skeleton_key = 0;    // hash of the mnemonic alone
  bool jump = false;            // bra: unguarded, it is an edge and no instruction
  bool masks_integers = false;  // integer immediates matter only up to the instruction's width
  unsigned bits = 64;           // width of the instruction type; 64 when unknown
};

// The normal form of a spelling. `narrow` says that a load's type is as wide as its register, so
// that the type does not choose between zero and sign extension.
Operation normal_form(std::string_view spelling, bool narrow);

// The normal forms of a module's opcodes, each made once.
class Operations {
 public:
  explicit Operations(const ptx::Module& module) : module_(module) {}
  const Operation& of(const ptx::Function& f, const ptx::Instruction& i);

 private:
  const ptx::Module& module_;
  std::unordered_map<const ptx::Opcode*, Operation> exact_, other_;
};

// "comparison ne → neu", "type s16 → u16"; empty when the texts are equal.
std::string describe_modifier_change(std::string_view from, std::string_view to);

}  // namespace pitot::gate
