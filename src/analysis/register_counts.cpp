// What the register estimate counts: instructions of the kinds that take registers of their own.
#include <algorithm>
#include <cmath>

#include "analysis/pressure.h"
#include "analysis/register_inputs.h"

namespace pitot::analysis {

using ptx::Effect;
using ptx::Group;
using ptx::Mnemonic;
using ptx::Type;

void count_register_inputs(const FlowFacts& flow, RegisterInputs& out) {
  double n = 0, fp64 = 0, half = 0, div = 0, sfu = 0, tensor = 0, global = 0, shared = 0,
         barriers = 0, calls = 0, local = 0, outside = 0;
  double tensor_units = 0, widest = 0;
  for (uint32_t i = 0; i < flow.instruction_count(); ++i) {
    const ptx::Opcode& op = *flow.instruction(i).opcode;
    ++n;
    bool float_op =
        op.group == Group::kArith || op.group == Group::kFma || op.group == Group::kSpecialFunction;
    fp64 += float_op && op.type == Type::kF64;
    half += float_op && (op.type == Type::kF16 || op.type == Type::kF16x2 ||
                         op.type == Type::kBf16 || op.type == Type::kBf16x2);
    bool full = op.has_mod(ptx::Mod::kRn) || ptx::kind_of(op.type) != ptx::TypeKind::kFloat;
    div += (op.mnemonic == Mnemonic::kDiv || op.mnemonic == Mnemonic::kRem ||
            op.mnemonic == Mnemonic::kSqrt || op.mnemonic == Mnemonic::kRcp) &&
           full;
    sfu += op.has(Effect::kSfu) || op.group == Group::kSpecialFunction;
    calls += op.has(Effect::kCall);
    if (op.has(Effect::kCall))
      for (const ptx::Operand& o : flow.module->operands_of(flow.instruction(i)))
        if (o.kind == ptx::OperandKind::kSymbol &&
            flow.module->symbols[o.id].kind == ptx::SymbolKind::kFunction) {
          const uint32_t f = flow.module->symbols[o.id].function;
          outside += f == ptx::kNoId || !flow.module->functions[f].has_body;
        }
    barriers += op.group == Group::kBarrier;
    bool memory =
        (op.effects & (Effect::kLoad | Effect::kStore | Effect::kAtomic | Effect::kRed)) != 0;
    ptx::Space space = ptx::base_space(op.space);
    global += memory && (space == ptx::Space::kGlobal || space == ptx::Space::kNone);
    shared += memory && space == ptx::Space::kShared;
    local += memory && space == ptx::Space::kLocal;
    double units = 0;
    for (const RegAccess& a : flow.accesses.of(i))
      if (a.role != Role::kAddress && a.reg < flow.function->registers.size())
        units += register_units(flow.function->registers[a.reg]);
    if (op.has(Effect::kMma)) {
      ++tensor;
      tensor_units = std::max(tensor_units, units);
    } else if (memory) {
      widest = std::max(widest, units);
    }
  }
  double wide = 0;
  for (const auto& r : flow.function->registers) wide += ptx::bits_of(r.type) == 64;
  double pointers = 0;
  for (ptx::SymbolId id : flow.function->parameters)
    pointers += ptx::bits_of(flow.module->symbols[id].type) == 64;
  double registers = std::max<double>(1, static_cast<double>(flow.function->registers.size()));
  auto put = [&](RegisterInput i, double value) { out[static_cast<size_t>(i)] = value; };
  auto put_log = [&](RegisterInput i, double count) { put(i, std::log2(1 + count)); };
  n = std::max(n, 1.0);
  put_log(RegisterInput::kInstructions, n);
  put(RegisterInput::kWide, wide / registers);
  put(RegisterInput::kFp64, fp64 / n);
  put(RegisterInput::kHalf, half / n);
  put_log(RegisterInput::kDivisions, div);
  put_log(RegisterInput::kSfu, sfu);
  put_log(RegisterInput::kTensor, tensor);
  put(RegisterInput::kTensorUnits, tensor_units);
  put_log(RegisterInput::kGlobal, global);
  put_log(RegisterInput::kShared, shared);
  put_log(RegisterInput::kBarriers, barriers);
  put_log(RegisterInput::kCalls, calls);
  put_log(RegisterInput::kExternCalls, outside);
  put_log(RegisterInput::kLocal, local);
  put(RegisterInput::kPointers, pointers);
  put(RegisterInput::kMaxVector, widest);
}

}  // namespace pitot::analysis
