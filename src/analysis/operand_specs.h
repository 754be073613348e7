// Which row entry of the instruction table describes each operand of an instruction: entries whose
// modifier is missing do not apply, and optional ones may be left out in the middle too.
#pragma once

#include <cstddef>
#include <span>

#include "ptx/module.h"

namespace pitot::analysis {

// Hands out the entries of a form for the operands of an instruction, in order. An optional entry
// is taken when enough operands are left for those that must be there and the next one has its
// shape: braces or none, an address or none.
class OperandSpecs {
 public:
  OperandSpecs(const ptx::Opcode& opcode, const ptx::Form& form,
               std::span<const ptx::Operand> operands)
      : opcode_(opcode), left_(form.operands), operands_(operands) {}

  // Of the next operand; null when the form has none for it.
  const ptx::OperandSpec* next();
  // After the last operand: whether what is left of the form may be left out.
  bool complete() const;

 private:
  bool applies(const ptx::OperandSpec& spec) const {
    return spec.when == 0 || opcode_.has_mod(static_cast<ptx::Mod>(spec.when));
  }
  size_t required() const;  // entries of those left that must have an operand

  const ptx::Opcode& opcode_;
  std::span<const ptx::OperandSpec> left_;
  std::span<const ptx::Operand> operands_;  // not handed out yet
};

}  // namespace pitot::analysis
