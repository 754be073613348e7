#include "transform/memory_conflict.h"

namespace pitot::transform {

using namespace analysis;
using ptx::OperandKind;

namespace {

// The address of an instruction that has one; 255 for all others.
uint8_t only_address(const ptx::Module& m, const ptx::Instruction& i) {
  uint8_t found = kImplicitOperand;
  const auto operands = m.operands_of(i);
  for (uint8_t k = 0; k < operands.size(); ++k) {
    if (operands[k].kind != OperandKind::kAddress) continue;
    if (found != kImplicitOperand) return kImplicitOperand;
    found = k;
  }
  return found;
}

}  // namespace

const MemoryConflict::Effect& MemoryConflict::effect(uint32_t instruction) {
  if (effects_.empty()) {
    effects_.resize(subject_.body().size());
    order_.reset(subject_.flow());
  }
  Effect& e = effects_[instruction];
  if (e.known) return e;
  e.known = true;
  e.kind = order_.describe(instruction);
  if (e.kind == MemoryOrder::Kind::kAccess) e.accesses = order_.described();
  return e;
}

bool MemoryConflict::between(uint32_t a, uint32_t b) {
  using Kind = MemoryOrder::Kind;
  const Effect& x = effect(a);
  const Effect& y = effect(b);
  if (x.kind == Kind::kNothing || y.kind == Kind::kNothing) return false;
  if (x.kind == Kind::kOrdersAll || y.kind == Kind::kOrdersAll) return true;
  for (const MemoryAccess& p : x.accesses)
    for (const MemoryAccess& q : y.accesses)
      if (conflicts(subject_.module(), p, q) && !apart(p, q)) return true;
  return false;
}

bool MemoryConflict::apart(const MemoryAccess& a, const MemoryAccess& b) {
  if (a.ordered && b.ordered) return false;
  if (a.size == 0 || b.size == 0 || subject_.too_complex()) return false;
  const FlowFacts& flow = subject_.flow();
  const ptx::Instruction &i = flow.instruction(a.instruction), &j = flow.instruction(b.instruction);
  const uint8_t x = only_address(subject_.module(), i), y = only_address(subject_.module(), j);
  if (x == kImplicitOperand || y == kImplicitOperand) return false;
  // Distances are of one window: a shared address and a generic one are not compared.
  if (ptx::base_space(i.opcode->space) == ptx::base_space(j.opcode->space)) {
    if (const auto d = distance_.addresses(a.instruction, x, b.instruction, y))
      return *d >= static_cast<int64_t>(a.size) || -*d >= static_cast<int64_t>(b.size);
  }
  if (!subject_.assumptions().distinct_buffers) return false;
  const ptx::SymbolId p = buffer(a.instruction, x), q = buffer(b.instruction, y);
  return p != ptx::kNoId && q != ptx::kNoId && p != q;
}

// The pointer parameter that an address is made from; kNoId where anything else in the address
// might be a pointer too.
ptx::SymbolId MemoryConflict::buffer(uint32_t instruction, uint8_t operand) {
  AffineForms& forms = subject_.forms();
  const FormId f = forms.of_operand(instruction, operand);
  if (f == analysis::kNone) return ptx::kNoId;
  const AtomId base = forms.base(f);
  if (base == analysis::kNone || forms.atom(base).kind != AtomKind::kParameter) return ptx::kNoId;
  for (const Term& t : forms.terms(f)) {
    const auto atoms = forms.monomial(t.monomial).span();
    if (atoms.size() != 1 || t.coefficient != 1 || atoms[0] == base) continue;
    if (forms.atom(atoms[0]).width > 32) return ptx::kNoId;
  }
  return forms.atom(base).id;
}

}  // namespace pitot::transform
