// Which values cost no register: those in the constant bank or the uniform file, and expressions
// that machine instructions take as part of an address, a multiply-add or an operand modifier.
#include "analysis/register_values.h"

#include <algorithm>

#include "analysis/pressure.h"
#include "ptx/special_register.h"

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Mnemonic;
using ptx::OperandKind;
using ptx::Type;

class ValueBuilder {
 public:
  ValueBuilder(const FlowFacts& flow, const Uniformity& uniformity, RegisterValues& out)
      : flow_(flow), uniformity_(uniformity), out_(out) {}

  void run() {
    const size_t n = flow_.values.values.size();
    out_.units.assign(n, {});
    out_.predicate.assign(n, 0);
    out_.zero.assign(n, 0);
    piped_.assign(n, 0);
    out_.root.resize(n);
    for (ValueId v = 0; v < n; ++v) out_.root[v] = v;
    out_.parameter.assign(n, kNone);
    find_divergent_blocks();
    find_stored_registers();
    for (ValueId v = 0; v < n; ++v) cost(v);
    number_parameters();
    for (ValueId v = 0; v < n; ++v)
      if (ValueId source = folded_into_users(v); source != kNone) {
        out_.root[v] = source;
        out_.units[v][kCostMachine] = out_.units[v][kCostStrict] = 0;
      }
    for (ValueId v = 0; v < n; ++v)
      for (int k = 0; k < 8 && out_.root[out_.root[v]] != out_.root[v]; ++k)
        out_.root[v] = out_.root[out_.root[v]];
  }

 private:
  uint32_t writer(ValueId v) const {
    return flow_.accesses.instruction_of[flow_.values.values[v].where];
  }

  // Values that ptxas keeps in the constant bank, folds into operands or computes again.
  bool is_free(ValueId v, int depth) const {
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite || value.from != kNone)
      return value.kind == ValueKind::kUndefined;
    uint32_t i = writer(v);
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    if (op.mnemonic == Mnemonic::kLd && ptx::base_space(op.space) == ptx::Space::kParam)
      return flow_.function->is_entry;
    // Machine instructions read the constant bank at a fixed address as an operand.
    if (op.mnemonic == Mnemonic::kLd && ptx::base_space(op.space) == ptx::Space::kConst)
      return !reads_register(i);
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    bool move = op.mnemonic == Mnemonic::kMov || op.mnemonic == Mnemonic::kCvta;
    if (!move || ops.size() != 2) return false;
    if (!ops[1].is_register()) return ops[1].is_constant() || ops[1].kind == OperandKind::kSymbol;
    ValueId source = flow_.read(i, 1);
    return depth < 8 && source != kNone && is_free(source, depth + 1);
  }

  // Blocks that some lanes of a warp may reach without the others. Lanes that a guard has sent out
  // of the kernel do not count: behind `if (i >= n) return` the uniform pipe is used.
  void find_divergent_blocks() {
    divergent_.assign(flow_.cfg.size(), 0);
    bool again = true;
    while (again) {
      again = false;
      for (BlockId b : flow_.cfg.order) {
        if (divergent_[b] == 0 && (uniformity_.branch[b] != Scope::kVarying || guards_exit(b)))
          continue;
        for_each_dependent(flow_.cfg, flow_.post, b, [&](BlockId d) {
          again |= divergent_[d] == 0;
          divergent_[d] = 1;
        });
      }
    }
  }

  void number_parameters() {
    const auto n = static_cast<ValueId>(out_.parameter.size());
    out_.parameters.clear();
    for (ValueId v = 0; v < n; ++v) {
      out_.parameter[v] = parameter_of(v, 0);
      if (out_.parameter[v] == v) out_.parameters.push_back(v);
    }
    for (uint32_t& p : out_.parameter)
      if (p != kNone)
        p = static_cast<uint32_t>(
            std::lower_bound(out_.parameters.begin(), out_.parameters.end(), p) -
            out_.parameters.begin());
  }

  void find_stored_registers() {
    out_.data.assign(flow_.function->registers.size(), RegisterValues::kNoData);
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      if ((op.effects & (Effect::kStore | Effect::kAtomic | Effect::kRed)) == 0) continue;
      const ptx::Space space = ptx::base_space(op.space);
      if (space == ptx::Space::kParam || space == ptx::Space::kLocal) continue;
      uint32_t count = 0, reg = kNone;
      for (const RegAccess& a : flow_.accesses.of(i))
        if (!a.write && a.role == Role::kSource) {
          ++count;
          reg = a.reg;
        }
      if (count != 1 || reg >= out_.data.size()) continue;
      const auto kind =
          space == ptx::Space::kShared ? RegisterValues::kSharedData : RegisterValues::kGlobalData;
      out_.data[reg] = std::max<uint8_t>(out_.data[reg], kind);
    }
  }

  bool guards_exit(BlockId b) const {
    constexpr uint32_t kOnlyExit = 1;
    if (flow_.cfg.blocks[b].leaves != 0) return true;
    bool exits = false;
    for (BlockId s : flow_.cfg.successors(b)) {
      const Block& block = flow_.cfg.blocks[s];
      exits |= block.leaves != 0 && !block.conditional && block.size() <= kOnlyExit;
    }
    return exits;
  }

  bool reads_register(uint32_t i) const {
    for (const RegAccess& a : flow_.accesses.of(i))
      if (!a.write) return true;
    return false;
  }

  ValueId parameter_of(ValueId v, int depth) const {
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite || value.from != kNone) return kNone;
    const uint32_t i = writer(v);
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    if (op.mnemonic == Mnemonic::kLd && ptx::base_space(op.space) == ptx::Space::kParam)
      return flow_.function->is_entry ? v : kNone;
    if (op.mnemonic != Mnemonic::kMov && op.mnemonic != Mnemonic::kCvta) return kNone;
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    if (ops.size() != 2) return kNone;
    if (ops[1].kind == OperandKind::kSpecialRegister) {
      const auto id = static_cast<ptx::SpecialId>(ops[1].id);
      return id == ptx::SpecialId::kNtid || id == ptx::SpecialId::kNctaid ? v : kNone;
    }
    if (!ops[1].is_register()) return kNone;
    const ValueId source = flow_.read(i, 1);
    return depth < 8 && source != kNone ? parameter_of(source, depth + 1) : kNone;
  }

  void cost(ValueId v) {
    const Value& value = flow_.values.values[v];
    if (value.reg >= flow_.function->registers.size()) return;
    const ptx::Register& r = flow_.function->registers[value.reg];
    out_.predicate[v] = r.type == Type::kPred;
    const Bits& bits = uniformity_.facts[v].bits;
    out_.zero[v] = bits.is_constant() && bits.one == 0;
    const auto units = static_cast<uint8_t>(register_units(r));
    CostUnits& c = out_.units[v];
    c.fill(units);
    // A half that is zero is the zero register.
    if (units == 2 && (~bits.zero >> 32) == 0) c[kCostMachine] = c[kCostStrict] = 1;
    if (is_free(v, 0)) c[kCostVarying] = c[kCostLane] = c[kCostMachine] = c[kCostStrict] = 0;
    piped_[v] = c[kCostStrict] == 0;
    Scope level = uniformity_.facts[v].level();
    if (ptx::kind_of(r.type) != ptx::TypeKind::kFloat &&
        (level == Scope::kGrid || level == Scope::kCta)) {
      c[kCostLane] = 0;
      // Memory does not load into the uniform file.
      bool loaded = value.kind == ValueKind::kWrite &&
                    flow_.instruction(writer(v)).opcode->has(Effect::kLoad);
      if (!loaded) c[kCostMachine] = 0;
      if (!loaded && uniform_pipe(v)) {
        piped_[v] = 1;
        c[kCostStrict] = 0;
      }
    }
  }

  // Whether the uniform pipe computes it: integer arithmetic without division, minimum or selection
  // by a divergent branch, from values that are there.
  bool uniform_pipe(ValueId v) const {
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite) return false;
    const uint32_t i = writer(v);
    if (divergent_[flow_.cfg.block_of[i]] != 0) return false;
    const ptx::Instruction& instruction = flow_.instruction(i);
    const ptx::Opcode& op = *instruction.opcode;
    switch (op.mnemonic) {
      case Mnemonic::kMov:
      case Mnemonic::kCvta:
      case Mnemonic::kAdd:
      case Mnemonic::kSub:
      case Mnemonic::kMul:
      case Mnemonic::kMad:
      case Mnemonic::kShl:
      case Mnemonic::kShr:
      case Mnemonic::kAnd:
      case Mnemonic::kOr:
      case Mnemonic::kXor:
      case Mnemonic::kNot:
      case Mnemonic::kNeg:
      case Mnemonic::kCvt:
      case Mnemonic::kSelp:
      case Mnemonic::kLop3:
      case Mnemonic::kPrmt:
        break;
      default:
        return false;
    }
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
      if (flow_.accesses.items[k].write) continue;
      ValueId source = flow_.values.value_of[k];
      if (source == kNone || source >= v) continue;  // around a loop
      const uint32_t reg = flow_.values.values[source].reg;
      if (reg < flow_.function->registers.size() &&
          flow_.function->registers[reg].type == Type::kPred)
        continue;
      if (piped_[source] == 0) return false;
    }
    return true;
  }

  // The source of an expression that needs no register of its own, else kNone.
  ValueId folded_into_users(ValueId v) const {
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite || value.from != kNone) return kNone;
    if (out_.units[v][kCostMachine] == 0) return kNone;
    uint32_t i = writer(v);
    const ptx::Instruction& instruction = flow_.instruction(i);
    const ptx::Opcode& op = *instruction.opcode;
    auto ops = flow_.module->operands_of(instruction);
    enum Fold : uint8_t { kAddress, kSum, kAnywhere } fold;
    uint8_t source = 1;
    bool wide = ptx::bits_of(op.type) == 64;
    switch (op.mnemonic) {
      case Mnemonic::kAdd:
        if (ops.size() != 3 || ptx::kind_of(op.type) == ptx::TypeKind::kFloat) return kNone;
        if (!ops[2].is_constant()) {
          if (!ops[1].is_constant()) return kNone;
          source = 2;
        }
        fold = kAddress;
        break;
      case Mnemonic::kMov:  // the halves of a register are that register
        if (ops.size() != 2) return kNone;
        fold = kAnywhere;
        break;
      case Mnemonic::kMul:
        if (ptx::kind_of(op.type) == ptx::TypeKind::kFloat || ops.size() != 3 ||
            op.has_mod(ptx::Mod::kHi))
          return kNone;
        if (!op.has_mod(ptx::Mod::kWide) && flow_.values.uses_of(v).size() != 1) return kNone;
        // One factor of the multiply-add may be in the constant bank.
        if (const ValueId a = flow_.read(i, 1), b = flow_.read(i, 2); a != kNone && b != kNone) {
          const bool free_a = out_.units[a][kCostStrict] == 0;
          if (free_a == (out_.units[b][kCostStrict] == 0)) return kNone;
          source = free_a ? 2 : 1;
        }
        fold = kSum;
        break;
      case Mnemonic::kShl:
        if (ops.size() != 3 || !ops[2].is_constant()) return kNone;
        fold = kSum;
        break;
      case Mnemonic::kCvt:
        if (!wide || ptx::kind_of(op.type) == ptx::TypeKind::kFloat) return kNone;
        fold = out_.units[v][kCostStrict] == 1 ? kAnywhere : kSum;
        break;
      case Mnemonic::kNeg:
      case Mnemonic::kAbs:
        if (ptx::kind_of(op.type) == ptx::TypeKind::kFloat)
          fold = kAnywhere;
        else if (op.mnemonic == Mnemonic::kNeg)
          fold = kSum;
        else
          return kNone;
        break;
      default:
        return kNone;
    }
    if (source >= ops.size() || !ops[source].is_register()) return kNone;
    ValueId from = flow_.read(i, source);
    if (from == kNone || !local(v, flow_.cfg.block_of[i])) return kNone;
    for (uint32_t k : flow_.values.uses_of(v)) {
      const RegAccess& a = flow_.accesses.items[k];
      Mnemonic user = flow_.instruction(flow_.accesses.instruction_of[k]).opcode->mnemonic;
      bool takes = fold == kAnywhere ||
                   (fold == kAddress ? a.role == Role::kAddress
                                     : user == Mnemonic::kAdd || user == Mnemonic::kShl ||
                                           user == Mnemonic::kSub || user == Mnemonic::kMad);
      if (!takes) return kNone;
    }
    return from;
  }

  // Written once and read in this block only.
  bool local(ValueId v, BlockId b) const {
    auto items = flow_.accesses.of_register(flow_.values.values[v].reg);
    auto uses = flow_.values.uses_of(v);
    if (uses.empty() || items.size() != uses.size() + 1) return false;
    for (uint32_t k : uses)
      if (flow_.cfg.block_of[flow_.accesses.instruction_of[k]] != b) return false;
    return true;
  }

  const FlowFacts& flow_;
  const Uniformity& uniformity_;
  RegisterValues& out_;
  std::vector<uint8_t> divergent_;  // by block
  std::vector<uint8_t> piped_;  // by ValueId: in the constant bank or the uniform file, strict view
};

}  // namespace

bool RegisterValues::copies_parameter(const FlowFacts& flow, uint32_t instruction) const {
  const auto mnemonic = flow.instruction(instruction).opcode->mnemonic;
  if (mnemonic != Mnemonic::kMov && mnemonic != Mnemonic::kCvta) return false;
  for (uint32_t k = flow.accesses.first[instruction]; k < flow.accesses.first[instruction + 1]; ++k)
    if (flow.accesses.items[k].write)
      return flow.values.value_of[k] != kNone && parameter[flow.values.value_of[k]] != kNone;
  return false;
}

void RegisterValues::build(const FlowFacts& flow, const Uniformity& uniformity) {
  ValueBuilder(flow, uniformity, *this).run();
}

}  // namespace pitot::analysis
