#include "analysis/operand_specs.h"

namespace pitot::analysis {
namespace {

using ptx::OperandClass;
using ptx::OperandKind;

bool has_shape(const ptx::Operand& o, const ptx::OperandSpec& spec) {
  if (spec.cls == OperandClass::kSpecial) return true;
  if ((spec.cls == OperandClass::kAddress) != (o.kind == OperandKind::kAddress)) return false;
  return spec.braced == (o.kind == OperandKind::kVector) || spec.may_pack || spec.by_vector;
}

}  // namespace

size_t OperandSpecs::required() const {
  size_t n = 0;
  for (const ptx::OperandSpec& spec : left_) n += !spec.optional && applies(spec);
  return n;
}

const ptx::OperandSpec* OperandSpecs::next() {
  if (operands_.empty()) return nullptr;
  while (!left_.empty()) {
    const ptx::OperandSpec& spec = left_.front();
    left_ = left_.subspan(1);
    if (!applies(spec)) continue;
    if (spec.optional && (operands_.size() <= required() || !has_shape(operands_.front(), spec)))
      continue;
    operands_ = operands_.subspan(1);
    return &spec;
  }
  return nullptr;
}

bool OperandSpecs::complete() const { return required() == 0; }

}  // namespace pitot::analysis
