#include "analysis/access_roles.h"

#include <algorithm>

namespace pitot::analysis {

using ptx::Access;
using ptx::Form;
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
      break;
  }
  if (o.kind == OperandKind::kAddress) return false;
  if (spec.access != Access::kRead && o.is_constant()) return false;
  const bool braces = o.kind == OperandKind::kVector;
  return !braces || spec.by_vector || spec.count_max > 1 || spec.count_min == 1;
}

bool fits(const Form& form, std::span<const Operand> operands) {
  if (operands.size() > form.operands.size()) return false;
  for (size_t k = operands.size(); k < form.operands.size(); ++k)
    if (!form.operands[k].optional) return false;
  for (size_t k = 0; k < operands.size(); ++k)
    if (!fits(operands[k], form.operands[k])) return false;
  return true;
}

class Collector {
 public:
  Collector(const Module& m, const ptx::Function& f, const Instruction& i,
            std::vector<RegAccess>& out)
      : m_(m), f_(f), i_(i), out_(out) {}

  void run() {
    const ptx::Opcode& op = *i_.opcode;
    if (i_.guard != kNoId) add(i_.guard, kImplicitOperand, 0, Role::kGuard, false, false);
    if (op.has(ptx::kReadsCC)) carry(false);
    operands_ = m_.operands_of(i_);
    form_ = form_for(m_, i_);
    for (bool write : {false, true})
      for (size_t k = 0; k < operands_.size(); ++k) visit(k, write);
    if (op.has(ptx::kRet))
      for (RegId r : f_.register_returns)
        add(r, kImplicitOperand, 0, Role::kReturnValue, false, false);
    if (op.has(ptx::kWritesCC)) carry(true);
  }

 private:
  // Emits the reads, or the writes, of operand k.
  void visit(size_t k, bool write) {
    const Operand& o = operands_[k];
    Access access = Access::kRead;
    Role role = write ? Role::kResult : Role::kSource;
    if (i_.opcode->has(ptx::kCall)) {
      const bool result = k == 0 && o.kind == OperandKind::kList && operands_.size() > 1;
      access = result ? Access::kWrite : Access::kRead;
      role = result ? Role::kCallResult : Role::kArgument;
    } else if (form_ != nullptr) {
      if (k < form_->operands.size()) access = form_->operands[k].access;
    } else if (k == 0 && first_is_written()) {
      access = Access::kWrite;
    }
    element_ = 0;
    if (o.kind == OperandKind::kAddress || access == Access::kReadWrite ||
        (access == Access::kWrite) == write)
      emit(o, k, role, write);
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
        if (write) break;
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
  const Form* form_ = nullptr;
  uint16_t element_ = 0;
};

}  // namespace

const Form* form_for(const Module& m, const Instruction& i) {
  const ptx::Opcode& op = *i.opcode;
  if (op.candidates.size() < 2) return op.form;
  const auto operands = m.operands_of(i);
  for (const Form* form : op.candidates)
    if (fits(*form, operands)) return form;
  return op.form;
}

bool roles_known(const Instruction& i) { return i.opcode->form != nullptr; }

void append_accesses(const Module& m, const ptx::Function& f, const Instruction& i,
                     std::vector<RegAccess>& out) {
  Collector(m, f, i, out).run();
}

void Accesses::build(const Module& m, const ptx::Function& f) {
  const auto body = m.body(f);
  items.clear();
  instruction_of.clear();
  first.clear();
  first.reserve(body.size() + 1);
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
