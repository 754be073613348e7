// Registers that are read although nothing has written them.
#include "analysis/lint_context.h"
#include "analysis/undefined.h"

namespace pitot::analysis {

void lint_undefined(LintContext& c) {
  for (const UndefinedRead& r : undefined_reads(c.flow, c.ws)) {
    bool definite = r.certainty == Certainty::kDefinite;
    if (!definite && !(c.options.pedantic && r.certainty == Certainty::kPossible)) continue;
    const ptx::Instruction& ins = c.flow.instruction(r.instruction);
    if (r.reg >= c.flow.function->registers.size()) continue;
    // Compilers pack a register that nothing wrote beside one that counts: half of a pair is
    // unused.
    bool packs = ins.opcode->mnemonic == ptx::Mnemonic::kMov && r.operand == 1 &&
                 ins.operand_count > 1 &&
                 c.operand(r.instruction, 1).kind == ptx::OperandKind::kVector;
    if (packs && !c.options.pedantic) continue;
    std::string name(c.flow.function->registers[r.reg].name);
    std::string through;
    if (r.origin != kNoId && r.origin != r.reg)
      through = " (a copy of " + std::string(c.flow.function->registers[r.origin].name) + ")";
    SourceRange range = ins.range;
    if (r.operand != kImplicitOperand && r.operand < ins.operand_count)
      range = c.operand(r.instruction, r.operand).range;
    c.report(definite ? Severity::kWarning : Severity::kNote, "undefined-read", range,
             name + through + " is read here, but " +
                 (definite ? "nothing writes it before" : "on some path nothing writes it before"),
             "give it a value on every path");
  }
}

}  // namespace pitot::analysis
