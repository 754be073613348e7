// Operand by operand comparison.
#include "gate/operand_match.h"

#include <bit>

namespace pitot::gate {

using ptx::Operand;
using ptx::OperandKind;

bool Bijection::allows(uint32_t a, uint32_t b) const {
  uint32_t fa = a < forward_.size() ? forward_[a] : ptx::kNoId;
  uint32_t fb = b < backward_.size() ? backward_[b] : ptx::kNoId;
  return (fa == ptx::kNoId && fb == ptx::kNoId) || (fa == b && fb == a);
}

bool Bijection::bind(uint32_t a, uint32_t b) {
  if (!allows(a, b)) return false;
  if (a >= forward_.size()) forward_.resize(a + 1, ptx::kNoId);
  if (b >= backward_.size()) backward_.resize(b + 1, ptx::kNoId);
  forward_[a] = b;
  backward_[b] = a;
  return true;
}

ConstantValue constant_value(const Side& s, uint32_t instruction, const Operand& o) {
  ConstantValue v;
  if (!o.is_constant()) return v;
  v.is_constant = true;
  v.bits = static_cast<uint64_t>(o.value);
  const Operation& op = *s.ops[instruction];
  if (o.kind == OperandKind::kFloat32) {
    v.bits &= 0xffffffffu;
  } else if (o.kind == OperandKind::kFloat64) {
    // A double literal in a single-precision instruction stands for the rounded value.
    if (op.bits == 32)
      v.bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(v.bits)));
  } else if (op.masks_integers && op.bits < 64) {
    v.bits &= (uint64_t{1} << op.bits) - 1;
  }
  return v;
}

bool OperandMatcher::match(uint32_t ia, uint32_t ib, Tolerance t, bool polarity_resolved,
                           PairDifference& difference) {
  const Operation& oa = *a_.ops[ia];
  const Operation& ob = *b_.ops[ib];
  if (oa.key != ob.key) {
    if (!t.modifiers || oa.skeleton_key != ob.skeleton_key) return false;
    difference.modifiers = true;
  } else if (a_.at(ia).opcode->text != b_.at(ib).opcode->text) {
    difference.spelling = true;
  }
  ia_ = ia;
  ib_ = ib;
  tolerance_ = t;
  difference_ = &difference;
  const ptx::Instruction& na = a_.at(ia);
  const ptx::Instruction& nb = b_.at(ib);
  if ((na.guard == ptx::kNoId) != (nb.guard == ptx::kNoId)) return false;
  if (na.guard != ptx::kNoId) {
    if (!polarity_resolved && na.guard_negated != nb.guard_negated) {
      if (!t.modifiers) return false;
      difference.modifiers = difference.negated = true;
    }
    if (!match_register(na.guard, nb.guard)) return false;
  }
  auto xs = a_.operands(ia), ys = b_.operands(ib);
  if (xs.size() != ys.size()) return false;
  // Branch targets are compared as control flow.
  if (oa.jump && ob.jump) return true;
  if (na.opcode->has(ptx::kCommutative) && xs.size() >= 3 && xs[1].is_register() &&
      xs[2].is_register() && ys[1].is_register() && ys[2].is_register()) {
    // Decided by the maps: a swap is taken only where the written order cannot hold.
    const bool straight =
        registers_.allows(xs[1].id, ys[1].id) && registers_.allows(xs[2].id, ys[2].id);
    const bool crossed =
        registers_.image(xs[1].id) == ys[2].id && registers_.image(xs[2].id) == ys[1].id;
    if (!straight && crossed) {
      difference.swapped = true;
      return match_operands(ia, ib, t, true, difference);
    }
  }
  return match_operands(ia, ib, t, false, difference);
}

bool OperandMatcher::match_operands(uint32_t ia, uint32_t ib, Tolerance, bool swap,
                                    PairDifference&) {
  auto xs = a_.operands(ia), ys = b_.operands(ib);
  for (size_t k = 0; k < xs.size(); ++k) {
    size_t j = swap && (k == 1 || k == 2) ? 3 - k : k;
    if (!match_operand(xs[k], ys[j])) return false;
  }
  return true;
}

bool OperandMatcher::match_register(uint32_t ra, uint32_t rb) {
  if (ra >= a_.f.registers.size() || rb >= b_.f.registers.size()) return false;
  const ptx::Register& x = a_.f.registers[ra];
  const ptx::Register& y = b_.f.registers[rb];
  if (x.vector != y.vector) return false;
  if ((x.type == ptx::Type::kPred) != (y.type == ptx::Type::kPred)) return false;
  if (ptx::bits_of(x.type) != ptx::bits_of(y.type)) {
    if (!tolerance_.modifiers) return false;
    difference_->modifiers = true;
  } else if (x.type != y.type) {
    difference_->register_class = true;
  }
  return registers_.bind(ra, rb);
}

bool OperandMatcher::match_operand(const Operand& oa, const Operand& ob) {
  if (oa.selector >= ptx::Selector::kHalves && oa.value != ob.value) return false;
  if (oa.selector != ob.selector || oa.negated != ob.negated || oa.minus != ob.minus) return false;
  ConstantValue ca = constant_value(a_, ia_, oa), cb = constant_value(b_, ib_, ob);
  if (ca.is_constant || cb.is_constant) {
    if (ca.is_constant != cb.is_constant) return false;
    if (ca.bits == cb.bits) return true;
    if (!tolerance_.constants) return false;
    difference_->constants = true;
    return true;
  }
  if (oa.kind != ob.kind || oa.child_count != ob.child_count) return false;
  auto offsets_match = [&] {
    if (oa.value == ob.value) return true;
    if (!tolerance_.constants) return false;
    difference_->constants = true;
    return true;
  };
  auto base_matches = [&](OperandKind kind) {
    switch (kind) {
      case OperandKind::kRegister:
        return match_register(oa.id, ob.id);
      case OperandKind::kSymbol:
        return oa.id != ptx::kNoId && ob.id != ptx::kNoId && symbols_.bind(oa.id, ob.id);
      case OperandKind::kSpecialRegister:
        return oa.id == ob.id;
      default:
        return true;
    }
  };
  switch (oa.kind) {
    case OperandKind::kRegister:
      return match_register(oa.id, ob.id);
    case OperandKind::kSpecialRegister:
      return oa.id == ob.id;
    case OperandKind::kSymbol:
      return base_matches(OperandKind::kSymbol) && offsets_match();
    case OperandKind::kLabel:
      // An address of a label: the same place only if the label is; nothing else is claimed.
      return oa.id < a_.f.labels.size() && ob.id < b_.f.labels.size() &&
             a_.f.labels[oa.id].instruction == b_.f.labels[ob.id].instruction;
    case OperandKind::kSink:
    case OperandKind::kNone:
      return true;
    case OperandKind::kAddress:
      if (oa.base_kind != ob.base_kind || !base_matches(oa.base_kind) || !offsets_match())
        return false;
      break;
    case OperandKind::kVector:
    case OperandKind::kPair:
    case OperandKind::kList:
      break;
    default:
      return a_.m.slice(oa.range) == b_.m.slice(ob.range);
  }
  auto xs = a_.m.children_of(oa), ys = b_.m.children_of(ob);
  for (size_t k = 0; k < xs.size(); ++k)
    if (!match_operand(xs[k], ys[k])) return false;
  return true;
}

}  // namespace pitot::gate
