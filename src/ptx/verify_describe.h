// Words for diagnostics: what an operand is, what was expected, and what to do about it.
#pragma once

#include <string>

#include "ptx/module.h"
#include "ptx/verify_operands.h"

namespace pitot::ptx {

// "register '%f2' (.f32)", "the constant 1.5", "label 'L0'", "variable 'buf' (.shared)".
std::string describe(const Module& module, const Function& function, const Operand& operand);

struct FaultText {
  std::string code;
  std::string message;
  std::string hint;
};

// Words for one misfit of an operand of `opcode`.
FaultText explain(const Module& module, const Function& function, const Opcode& opcode,
                  const ReadyOperand& wanted, const Misfit& misfit);

// "a source", "the destination" … the operand's expected shape in a usage line: "d, a, b".
std::string usage(const Opcode& opcode, const std::vector<ReadyOperand>& operands);

}  // namespace pitot::ptx
