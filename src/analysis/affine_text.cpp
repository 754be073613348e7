// Forms as text, for messages and tests.
#include "analysis/affine.h"

namespace pitot::analysis {
namespace {

std::string_view name_of(IntOp op) {
  switch (op) {
    case IntOp::kMulHi:
      return "mulhi";
    case IntOp::kAnd:
      return "and";
    case IntOp::kOr:
      return "or";
    case IntOp::kXor:
      return "xor";
    case IntOp::kAbs:
      return "abs";
    case IntOp::kMin:
      return "min";
    case IntOp::kMax:
      return "max";
    case IntOp::kDiv:
      return "div";
    case IntOp::kRem:
      return "rem";
    case IntOp::kShl:
      return "shl";
    case IntOp::kShr:
      return "shr";
    case IntOp::kCompare:
      return "compare";
    case IntOp::kSelect:
      return "select";
    case IntOp::kConvert:
      return "extend";
    default:
      return "op";
  }
}

std::string signed_term(bool first, int64_t coefficient, const std::string& what) {
  std::string out;
  bool negative = coefficient < 0;
  uint64_t size = negative ? uint64_t{0} - static_cast<uint64_t>(coefficient)
                           : static_cast<uint64_t>(coefficient);
  if (first) {
    out = negative ? "-" : "";
  } else {
    out = negative ? " - " : " + ";
  }
  if (what.empty()) return out + std::to_string(size);
  if (size != 1) out += std::to_string(size) + "*";
  return out + what;
}

}  // namespace

std::string AffineForms::to_string(AtomId id) const {
  const Atom& a = atoms_[id];
  switch (a.kind) {
    case AtomKind::kSpecial:
      return special_names_[a.id].substr(1);
    case AtomKind::kParameter: {
      std::string out(flow_->module->symbols[a.id].name);
      if (a.offset != 0) out += "[" + std::to_string(a.offset) + "]";
      return out;
    }
    case AtomKind::kSymbol:
      return "&" + std::string(flow_->module->symbols[a.id].name);
    case AtomKind::kWindow:
      return "window(" + std::string(ptx::name_of(static_cast<ptx::Space>(a.id))) + ")";
    case AtomKind::kLoopCounter:
      return "turn" + std::to_string(a.id);
    case AtomKind::kValue: {
      RegId reg = flow_->values.values[a.id].reg;
      if (reg >= flow_->function->registers.size()) return "carry";
      return std::string(flow_->function->registers[reg].name);
    }
    case AtomKind::kExpression: {
      std::string out(name_of(a.operation.op));
      out += "(";
      for (size_t k = 0; k < a.argument_count; ++k) {
        if (k != 0) out += ", ";
        out += to_string_form(a.arguments[k]);
      }
      return out + ")";
    }
  }
  return "?";
}

std::string AffineForms::to_string_form(FormId f) const {
  std::string out;
  for (const Term& t : terms(f)) {
    std::string product;
    for (AtomId a : monomials_[t.monomial].span()) {
      if (!product.empty()) product += "*";
      product += to_string(a);
    }
    out += signed_term(out.empty(), t.coefficient, product);
  }
  if (out.empty() || forms_[f].constant != 0)
    out += signed_term(out.empty(), forms_[f].constant, "");
  return out;
}

}  // namespace pitot::analysis
