// Lists constant and modifier changes.
#include "gate/pair_changes.h"

#include <fmt/format.h>

#include "gate/decode_value.h"
#include "gate/operand_match.h"
#include "gate/witness.h"

namespace pitot::gate {

namespace {

using ptx::Operand;
using ptx::OperandKind;

class ConstantLister {
 public:
  ConstantLister(const Side& a, uint32_t ia, const Side& b, uint32_t ib, KernelDiff& out)
      : a_(a), ia_(ia), b_(b), ib_(ib), out_(out) {}

  void operand(const Operand& x, const Operand& y, size_t position) {
    ConstantValue cx = constant_value(a_, ia_, x), cy = constant_value(b_, ib_, y);
    std::string_view op = b_.at(ib_).opcode->text;
    if (cx.is_constant && cy.is_constant) {
      if (cx.bits == cy.bits) return;
      add(x, y, decode_constant(a_, ia_, x), decode_constant(b_, ib_, y),
          std::string(ptx::name_of(type_of_constant(b_, ib_, y))),
          fmt::format("{}, operand {}", op, position));
      return;
    }
    if (x.kind != y.kind || x.child_count != y.child_count) return;
    const bool address = x.kind == OperandKind::kAddress && x.base_kind == y.base_kind;
    if ((address || x.kind == OperandKind::kSymbol) && x.value != y.value)
      add(x, y, fmt::format("{}", x.value), fmt::format("{}", y.value), "bytes",
          fmt::format("offset of {}", op));
    auto xs = a_.m.children_of(x), ys = b_.m.children_of(y);
    for (size_t k = 0; k < xs.size(); ++k) operand(xs[k], ys[k], position);
  }

 private:
  void add(const Operand& x, const Operand& y, std::string from_value, std::string to_value,
           std::string type, std::string where) {
    ConstantChange c;
    c.line_a = a_.m.source->position(x.range.begin).line;
    c.line_b = b_.m.source->position(y.range.begin).line;
    c.from = a_.m.slice(x.range);
    c.to = b_.m.slice(y.range);
    c.from_value = std::move(from_value);
    c.to_value = std::move(to_value);
    c.type = std::move(type);
    c.where = std::move(where);
    out_.constants.push_back(std::move(c));
  }

  const Side& a_;
  uint32_t ia_;
  const Side& b_;
  uint32_t ib_;
  KernelDiff& out_;
};

}  // namespace

void list_constants(const Side& a, uint32_t ia, const Side& b, uint32_t ib, KernelDiff& out) {
  auto xs = a.operands(ia), ys = b.operands(ib);
  if (xs.size() != ys.size()) return;
  ConstantLister lister(a, ia, b, ib, out);
  for (size_t k = 0; k < xs.size(); ++k) lister.operand(xs[k], ys[k], k + 1);
}

void list_modifiers(const Side& a, uint32_t ia, const Side& b, uint32_t ib, KernelDiff& out) {
  const ptx::Instruction& x = a.at(ia);
  const ptx::Instruction& y = b.at(ib);
  const bool guards = x.guard != ptx::kNoId && y.guard != ptx::kNoId;
  if (guards && x.guard_negated != y.guard_negated) {
    auto guarded = [](const ptx::Instruction& i) {
      return fmt::format("@{}p {}", i.guard_negated ? "!" : "", i.opcode->text);
    };
    out.modifiers.push_back(
        {a.line(ia), b.line(ib), guarded(x), guarded(y), "guard turned to its opposite", {}});
  }
  if (a.ops[ia]->key == b.ops[ib]->key) return;
  std::string_view from = a.at(ia).opcode->text, to = b.at(ib).opcode->text;
  ModifierChange change;
  change.line_a = a.line(ia);
  change.line_b = b.line(ib);
  change.from = from;
  change.to = to;
  change.what = describe_modifier_change(from, to);
  change.witness = find_witness(from, to);
  out.modifiers.push_back(std::move(change));
}

}  // namespace pitot::gate
