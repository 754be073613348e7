// What one opcode spelling demands of its operands: the rows of the instruction table that it fits,
// with types, counts and state spaces filled in. Made once a spelling and used by all its
// instructions.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"
#include "ptx/verify_operands.h"

namespace pitot::ptx {

struct ReadyForm {
  const Form* form = nullptr;
  std::vector<ReadyOperand> operands;
  size_t required = 0;  // operands that may not be left out
  Support support = Support::kYes;
  uint32_t ticket = UINT32_MAX;  // of its finding in the RequirementLog
};

struct OpcodeRules {
  const Opcode* opcode = nullptr;
  OpcodeTraits traits;
  std::vector<ReadyForm> forms;
};

class RuleTable {
 public:
  RuleTable(uint16_t ptx, Target target) : ptx_(ptx), target_(target) {}
  OpcodeRules& rules_for(const Opcode& opcode);

 private:
  uint16_t ptx_;
  Target target_;
  std::unordered_map<const Opcode*, std::unique_ptr<OpcodeRules>> rules_;
  const Opcode* last_opcode_ = nullptr;
  OpcodeRules* last_ = nullptr;
};

}  // namespace pitot::ptx
