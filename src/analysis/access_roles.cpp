#include "analysis/access_roles.h"

#include <algorithm>

#include "analysis/operand_specs.h"

namespace pitot::analysis {

using ptx::Access;
using ptx::Instruction;
using ptx::Module;
using ptx::Operand;
using ptx::OperandClass;
using ptx::OperandKind;
using ptx::OperandSpec;

namespace {

bool fits(const Operand& o, const OperandSpec& spec) {
  switch (spec.cls) {
    case OperandClass::kAddress:
      return o.kind == OperandKind::kAddress;
    case OperandClass::kLabel:
      return o.kind == OperandKind::kLabel || o.kind == OperandKind::kUnresolved;
    case OperandClass::kSpecial:
      return true;
    default:
      return o.kind != OperandKind::kAddress && (spec.access == Access::kRead || !o.is_constant());
  }
}

bool fits(const ptx::Opcode& opcode, const ptx::Form& form, std::span<const Operand> operands) {
  OperandSpecs specs(opcode, form, operands);
  for (const Operand& o : operands) {
    const OperandSpec* spec = specs.next();
    if (spec == nullptr || !fits(o, *spec)) return false;
  }
  return specs.complete();
}

const ptx::Form kEmptyForm{};

class RoleCollector {
 public:
  RoleCollector(const Module& m, const ptx::Function& f, const Instruction& i,
                std::vector<RegAccess>& out)
      : m_(m), f_(f), i_(i), out_(out) {}

  void run() {
    const ptx::Opcode& op = *i_.opcode;
    if (i_.guard != kNoId) add(i_.guard, kImplicitOperand, 0, Role::kGuard, false, false);
    if (op.has(ptx::kReadsCC)) carry(false);
    operands_ = m_.operands_of(i_);
    form_ = form_for(m_, i_);
    visit_all(false);
    if (op.has(ptx::kRet))
      for (RegId r : f_.register_returns)
        add(r, kImplicitOperand, 0, Role::kReturnValue, false, false);
    visit_all(true);
    if (op.has(ptx::kWritesCC)) carry(true);
  }

 private:
  // Emits the reads, or the writes, of all operands.
  void visit_all(bool write) {
    if (i_.opcode->has(ptx::kCall)) return visit_call(write);
    OperandSpecs specs(*i_.opcode, form_ != nullptr ? *form_ : kEmptyForm, operands_);
    for (size_t k = 0; k < operands_.size(); ++k) {
      const Operand& o = operands_[k];
      Access access = Access::kRead;
      if (form_ == nullptr) {
        if (k == 0 && first_is_written()) access = Access::kWrite;
      } else if (const OperandSpec* spec = specs.next()) {
        access = spec->access;
        if (access == Access::kReadWrite && overwrites_accumulator()) access = Access::kWrite;
      }
      element_ = 0;
      if (o.kind == OperandKind::kAddress
              ? !write
              : access == Access::kReadWrite || (access == Access::kWrite) == write)
        emit(o, k, write ? Role::kResult : Role::kSource, write);
    }
  }

  // wgmma whose scale-d is the constant 0 computes A×B without adding the old D.
  bool overwrites_accumulator() const {
    if (i_.opcode->mnemonic != ptx::Mnemonic::kWgmma) return false;
    const size_t scale_d = i_.opcode->has_mod(ptx::Mod::kSp) ? 5 : 3;
    return operands_.size() > scale_d && operands_[scale_d].kind == OperandKind::kInteger &&
           operands_[scale_d].value == 0;
  }

  // A list before the callee holds the results; all else is read.
  void visit_call(bool write) {
    for (size_t k = 0; k < operands_.size(); ++k) {
      const bool result = k == 0 && operands_[k].kind == OperandKind::kList && operands_.size() > 1;
      element_ = 0;
      if (result == write)
        emit(operands_[k], k, result ? Role::kCallResult : Role::kArgument, write);
    }
  }

  // For spellings without a form only.
  bool first_is_written() const {
    constexpr uint32_t kNoResult = ptx::kStore | ptx::kRed | ptx::kFence | ptx::kBranch |
                                   ptx::kRet | ptx::kExit | ptx::kTrap | ptx::kPrefetch;
    return operands_[0].kind != OperandKind::kAddress && (i_.opcode->effects & kNoResult) == 0;
  }

  void emit(const Operand& o, size_t k, Role role, bool write) {
    switch (o.kind) {
      case OperandKind::kRegister:
        add(o.id, k, element_, role, write, o.selector != ptx::Selector::kNone);
        break;
      case OperandKind::kAddress:
        if (o.base_kind == OperandKind::kRegister)
          add(o.id, k, element_, Role::kAddress, false, false);
        for (const Operand& c : m_.children_of(o)) emit(c, k, Role::kAddress, false);
        break;
      case OperandKind::kVector:
      case OperandKind::kPair:
      case OperandKind::kList:
        for (const Operand& c : m_.children_of(o)) {
          emit(c, k, role, write);
          ++element_;
        }
        break;
      default:
        break;
    }
  }

  void add(RegId reg, size_t operand, uint16_t element, Role role, bool write, bool selected) {
    if (reg >= f_.registers.size()) return;
    RegAccess a;
    a.reg = reg;
    a.element = element;
    a.operand = static_cast<uint8_t>(std::min<size_t>(operand, kImplicitOperand));
    a.role = role;
    a.write = write;
    a.conditional = write && i_.guard != kNoId;
    a.partial = write && selected && f_.registers[reg].vector > 1;
    out_.push_back(a);
  }

  void carry(bool write) {
    RegAccess a;
    a.reg = carry_register(f_);
    a.role = Role::kCarry;
    a.write = write;
    a.conditional = write && i_.guard != kNoId;
    out_.push_back(a);
  }

  const Module& m_;
  const ptx::Function& f_;
  const Instruction& i_;
  std::vector<RegAccess>& out_;
  std::span<const Operand> operands_;
  const ptx::Form* form_ = nullptr;
  uint16_t element_ = 0;
};

}  // namespace

const ptx::Form* form_for(const Module& m, const Instruction& i) {
  const ptx::Opcode& op = *i.opcode;
  if (op.candidates.size() < 2) return op.form;
  const auto operands = m.operands_of(i);
  for (const ptx::Form* form : op.candidates)
    if (fits(op, *form, operands)) return form;
  return op.form;
}

bool roles_known(const Instruction& i) { return i.opcode->form != nullptr; }

void append_accesses(const Module& m, const ptx::Function& f, const Instruction& i,
                     std::vector<RegAccess>& out) {
  RoleCollector(m, f, i, out).run();
}

void Accesses::build(const Module& m, const ptx::Function& f) {
  const auto body = m.body(f);
  items.clear();
  instruction_of.clear();
  first.clear();
  first.reserve(body.size() + 1);
  // About right for scalar code; growing copies long tables.
  items.reserve(3 * body.size());
  instruction_of.reserve(3 * body.size());
  for (uint32_t k = 0; k < body.size(); ++k) {
    first.push_back(static_cast<uint32_t>(items.size()));
    append_accesses(m, f, body[k], items);
    instruction_of.resize(items.size(), k);
  }
  first.push_back(static_cast<uint32_t>(items.size()));

  register_first.assign(register_slots(f) + 1, 0);
  for (const RegAccess& a : items) ++register_first[a.reg + 1];
  for (size_t r = 1; r < register_first.size(); ++r) register_first[r] += register_first[r - 1];
  register_items.resize(items.size());
  // Filling moves each start to its end; the shift afterwards undoes that.
  for (uint32_t k = 0; k < items.size(); ++k) register_items[register_first[items[k].reg]++] = k;
  for (size_t r = register_first.size() - 1; r > 0; --r) register_first[r] = register_first[r - 1];
  register_first[0] = 0;
}

}  // namespace pitot::analysis
