#include "analysis/predicate_facts.h"

#include <algorithm>
#include <array>

namespace pitot::analysis {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;

namespace {

constexpr size_t kMaxLiterals = 48;

// An integer comparison as one of three relations and whether it is negated: a ≥ b is !(a < b).
struct Relation {
  enum Kind : uint8_t { kNone, kEqual, kLess, kGreater } kind = kNone;
  bool negated = false;
};

Relation relation_of(const ptx::Opcode& op) {
  const ptx::TypeKind kind = ptx::kind_of(op.type);
  if (kind == ptx::TypeKind::kFloat || kind == ptx::TypeKind::kNone) return {};
  struct Name {
    Mod mod;
    Relation relation;
  };
  static constexpr std::array<Name, 10> kNames = {{
      {Mod::kEq, {Relation::kEqual, false}},
      {Mod::kNe, {Relation::kEqual, true}},
      {Mod::kLt, {Relation::kLess, false}},
      {Mod::kLo, {Relation::kLess, false}},
      {Mod::kGe, {Relation::kLess, true}},
      {Mod::kHs, {Relation::kLess, true}},
      {Mod::kGt, {Relation::kGreater, false}},
      {Mod::kHi, {Relation::kGreater, false}},
      {Mod::kLe, {Relation::kGreater, true}},
      {Mod::kLs, {Relation::kGreater, true}},
  }};
  for (const Name& n : kNames)
    if (op.has_mod(n.mod)) return n.relation;
  return {};
}

bool combines(const ptx::Opcode& op) {
  return op.has_mod(Mod::kAnd) || op.has_mod(Mod::kOr) || op.has_mod(Mod::kXor);
}

}  // namespace

PredicateFacts::Set::Answer PredicateFacts::Set::ask(Literal l) const {
  for (const Literal& known : literals)
    if (known.value == l.value) return known.truth == l.truth ? Answer::kTrue : Answer::kFalse;
  return Answer::kUnknown;
}

Literal PredicateFacts::guard(uint32_t instruction) {
  const Literal l{facts_.read(instruction, kImplicitOperand),
                  !facts_.instruction(instruction).guard_negated};
  return l.value == kNone ? l : reduce(l);
}

// Follows one step of a copy, a negation, the second half of a pair, or an earlier equal compare.
Literal PredicateFacts::reduce_once(Literal l) {
  const Value& value = facts_.values.values[l.value];
  if (value.kind != ValueKind::kWrite || value.from != kNone) return l;
  const RegAccess& write = facts_.accesses.items[value.where];
  const uint32_t i = facts_.accesses.instruction_of[value.where];
  const ptx::Instruction& instruction = facts_.instruction(i);
  if (instruction.guard != kNoId) return l;
  const ptx::Opcode& op = *instruction.opcode;
  switch (op.mnemonic) {
    case Mnemonic::kMov:
    case Mnemonic::kNot: {
      const ValueId source = facts_.read(i, 1);
      if (source == kNone || op.type != ptx::Type::kPred) return l;
      return {source, op.mnemonic == Mnemonic::kNot ? !l.truth : l.truth};
    }
    case Mnemonic::kSetp: {
      if (combines(op)) return l;
      // The second destination is the complement of the first.
      const auto operands = facts_.module->operands_of(instruction);
      Literal first = l;
      if (operands[0].kind == OperandKind::kPair && write.element == 1) {
        first.truth = !first.truth;
        for (uint32_t k = facts_.accesses.first[i]; k < facts_.accesses.first[i + 1]; ++k) {
          const RegAccess& a = facts_.accesses.items[k];
          if (a.write && a.operand == 0 && a.element == 0) first.value = facts_.values.value_of[k];
        }
        return first.value == l.value ? l : first;
      }
      return repeated_compare(i, l);
    }
    default:
      return l;
  }
}

Literal PredicateFacts::repeated_compare(uint32_t instruction, Literal l) {
  auto key_of = [&](uint32_t i, std::array<uint64_t, 6>& key) {
    const ptx::Instruction& ins = facts_.instruction(i);
    const auto operands = facts_.module->operands_of(ins);
    const Relation relation = relation_of(*ins.opcode);
    key = {};
    if (operands.size() != 3) return false;
    key[0] = relation.kind != Relation::kNone
                 ? relation.kind + 1000u * static_cast<uint64_t>(ins.opcode->type)
                 : reinterpret_cast<uintptr_t>(ins.opcode);
    for (size_t k = 1; k < 3; ++k) {
      const Operand& o = operands[k];
      if (o.kind == OperandKind::kRegister && o.selector == ptx::Selector::kNone) {
        key[2 * k - 1] = 1;
        key[2 * k] = facts_.read(i, static_cast<uint8_t>(k));
      } else if (o.is_constant()) {
        key[2 * k - 1] = 2 + static_cast<uint64_t>(o.kind);
        key[2 * k] = static_cast<uint64_t>(o.value);
      } else {
        return false;
      }
    }
    return true;
  };
  std::array<uint64_t, 6> key, other;
  if (!key_of(instruction, key)) return l;
  uint64_t hash = 1469598103934665603u;
  for (uint64_t k : key) hash = (hash ^ k) * 1099511628211u;
  auto& known = compares_[hash];
  for (ValueId v : known) {
    const uint32_t i = facts_.values.instruction_of(facts_.accesses, v);
    if (v == l.value || !key_of(i, other) || other != key) continue;
    const bool flip = relation_of(*facts_.instruction(i).opcode).negated !=
                      relation_of(*facts_.instruction(instruction).opcode).negated;
    return {v, l.truth != flip};
  }
  if (known.empty()) known.push_back(l.value);
  return l;
}

Literal PredicateFacts::reduce(Literal l) {
  if (auto it = reduced_.find(l.value); it != reduced_.end())
    return {it->second.value, it->second.truth == l.truth};
  Literal now{l.value, true};
  for (int step = 0; step < 64; ++step) {
    const Literal next = reduce_once(now);
    if (next.value == now.value) break;
    now = next;
  }
  reduced_.emplace(l.value, now);
  return {now.value, now.truth == l.truth};
}

void PredicateFacts::assume(Set& set, Literal literal) {
  std::vector<Literal> work{literal};
  while (!work.empty()) {
    if (work.back().value == kNone) {
      work.pop_back();
      continue;
    }
    const Literal l = reduce(work.back());
    work.pop_back();
    switch (set.ask(l)) {
      case Set::Answer::kTrue:
        continue;
      case Set::Answer::kFalse:
        set.contradiction = true;
        return;
      case Set::Answer::kUnknown:
        break;
    }
    if (set.literals.size() >= kMaxLiterals) return;
    set.literals.push_back(l);
    // A conjunction that holds has parts that hold; a disjunction that fails has parts that fail.
    const Value& value = facts_.values.values[l.value];
    if (value.kind != ValueKind::kWrite || value.from != kNone) continue;
    const uint32_t i = facts_.accesses.instruction_of[value.where];
    const ptx::Instruction& instruction = facts_.instruction(i);
    const ptx::Opcode& op = *instruction.opcode;
    const auto operands = facts_.module->operands_of(instruction);
    auto part = [&](uint8_t k) {
      if (k < operands.size() && operands[k].is_register())
        work.push_back({facts_.read(i, k), l.truth != operands[k].negated});
    };
    const bool conjunction = op.mnemonic == Mnemonic::kAnd  ? l.truth
                             : op.mnemonic == Mnemonic::kOr ? !l.truth
                                                            : false;
    if (conjunction && op.type == ptx::Type::kPred) {
      part(1);
      part(2);
    } else if (op.mnemonic == Mnemonic::kSetp && facts_.accesses.items[value.where].element == 0 &&
               ((op.has_mod(Mod::kAnd) && l.truth) || (op.has_mod(Mod::kOr) && !l.truth))) {
      part(3);
    }
  }
}

void PredicateFacts::edge_literal(Set& set, BlockId from, BlockId to) {
  const uint32_t i = facts_.cfg.deciding_instruction(*facts_.module, *facts_.function, from);
  if (i == kNone) return;
  Literal l = guard(i);
  switch (facts_.cfg.sense(from, to)) {
    case EdgeSense::kGuardHolds:
      break;
    case EdgeSense::kGuardFails:
      l.truth = !l.truth;
      break;
    case EdgeSense::kEither:
      return;
  }
  assume(set, l);
}

void PredicateFacts::assume_path_to(Set& set, BlockId block, unsigned limit) {
  for (BlockId b = block; limit > 0 && !set.contradiction; --limit) {
    const BlockId up = facts_.dom.idom[b];
    if (up == kNone) return;
    // Only one edge leads here: its condition held when it was taken last.
    const auto in = facts_.cfg.predecessors(b);
    if (in.size() == 1 && in[0] == up) edge_literal(set, up, b);
    b = up;
  }
}

void PredicateFacts::assume_edge(Set& set, BlockId from, BlockId to) {
  edge_literal(set, from, to);
  if (!set.contradiction) assume_path_to(set, from);
}

PredicateFacts::Set PredicateFacts::before_phi(const Set& set, BlockId block, BlockId from) {
  Set out;
  const auto in = facts_.cfg.predecessors(block);
  for (const Literal& l : set.literals) {
    const Value& value = facts_.values.values[l.value];
    if (value.kind == ValueKind::kPhi && value.where == block) {
      const auto operands = facts_.values.operands_of_phi(facts_.cfg, l.value);
      for (size_t k = 0; k < in.size(); ++k)
        if (in[k] == from && operands[k] != kNone) assume(out, {operands[k], l.truth});
    } else if (value.kind == ValueKind::kUndefined || value.kind == ValueKind::kParameter ||
               facts_.dom.strictly_dominates(facts_.block_of_value(l.value), block)) {
      assume(out, l);
    }
    if (out.contradiction) break;
  }
  return out;
}

}  // namespace pitot::analysis
