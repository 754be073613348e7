#include "transform/value_distance.h"

#include "analysis/int_ops.h"
#include "ptx/special_register.h"

namespace pitot::transform {

using namespace analysis;
using ptx::Mnemonic;
using ptx::OperandKind;

namespace {

// Instructions looked at for one question; sums that meet again and again would take for ever.
constexpr int kMostSteps = 400;

int64_t narrowed(uint64_t v, unsigned width) { return sign_extended(v, width); }
uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }

bool is_global_cvta(const ptx::Opcode& o) {
  return o.mnemonic == Mnemonic::kCvta && ptx::base_space(o.space) == ptx::Space::kGlobal;
}

}  // namespace

uint32_t ValueDistance::writer(ValueId v) const {
  const FlowFacts& flow = subject_.flow();
  const Value& value = flow.values.values[v];
  if (value.kind != ValueKind::kWrite || value.from != kNone) return kNone;
  const RegAccess& w = flow.accesses.items[value.where];
  if (!w.kills() || w.element != 0 || w.role != Role::kResult) return kNone;
  return flow.accesses.instruction_of[value.where];
}

ValueDistance::Source ValueDistance::source(uint32_t instruction, uint8_t operand) const {
  const FlowFacts& flow = subject_.flow();
  const ptx::Instruction& i = flow.instruction(instruction);
  Source s;
  if (operand >= i.operand_count) return s;
  s.operand = &flow.module->operands_of(i)[operand];
  if (s.operand->kind == OperandKind::kInteger) s.constant = s.operand->value;
  if (s.operand->kind == OperandKind::kRegister && s.operand->selector == ptx::Selector::kNone &&
      !s.operand->negated && !s.operand->minus) {
    s.value = flow.read(instruction, operand);
    if (s.value != kNone) {
      const Bits& known = subject_.uniformity().facts[s.value].bits;
      if (known.is_constant()) s.constant = static_cast<int64_t>(known.one);
    }
  }
  return s;
}

ValueDistance::Root ValueDistance::root_of(ValueId v, unsigned width) const {
  Root root{v, 0};
  for (int n = 0; n < kMostSteps; ++n) {
    const uint32_t i = writer(root.value);
    if (i == kNone) return root;
    const ptx::Opcode& o = *subject_.flow().instruction(i).opcode;
    const IntInstruction op = classify(o);
    const Source a = source(i, 1), b = source(i, 2);
    if (is_global_cvta(o) && width == 64 && a.value != kNone) {
      root.value = a.value;
      continue;
    }
    if (op.width != width || op.result_width != width) return root;
    if (op.op == IntOp::kMov && a.value != kNone) {
      root.value = a.value;
    } else if ((op.op == IntOp::kAdd || op.op == IntOp::kSub) && a.value != kNone && b.constant) {
      const uint64_t c = bits(*b.constant);
      root = {a.value, narrowed(bits(root.offset) + (op.op == IntOp::kAdd ? c : 0 - c), width)};
    } else if (op.op == IntOp::kAdd && b.value != kNone && a.constant) {
      root = {b.value, narrowed(bits(root.offset) + bits(*a.constant), width)};
    } else if (op.op == IntOp::kOr && a.value != kNone && b.constant &&
               (bits(*b.constant) & Bits::mask(width) &
                ~subject_.uniformity().facts[a.value].bits.zero) == 0) {
      root = {a.value, narrowed(bits(root.offset) + bits(*b.constant), width)};
    } else {
      return root;
    }
  }
  return root;
}

std::optional<int64_t> ValueDistance::values(ValueId from, ValueId to, unsigned width) {
  steps_ = kMostSteps;
  return distance(from, to, width);
}

std::optional<int64_t> ValueDistance::addresses(uint32_t from, uint8_t from_operand, uint32_t to,
                                                uint8_t to_operand) {
  AffineForms& forms = subject_.forms();
  const FormId a = forms.of_operand(from, from_operand), b = forms.of_operand(to, to_operand);
  int64_t difference = 0;
  if (a != analysis::kNone && b != analysis::kNone && !forms.form(a).assumes_no_wrap &&
      !forms.form(b).assumes_no_wrap && forms.constant_difference(b, a, difference))
    return difference;
  const FlowFacts& flow = subject_.flow();
  const auto& x = flow.module->operands_of(flow.instruction(from))[from_operand];
  const auto& y = flow.module->operands_of(flow.instruction(to))[to_operand];
  const unsigned width = flow.module->address_size == 32 ? 32 : 64;
  if (x.child_count != 0 || y.child_count != 0 || x.base_kind != y.base_kind) return {};
  const int64_t added = narrowed(bits(y.value) - bits(x.value), width);
  if (x.base_kind == OperandKind::kSymbol)
    return x.id == y.id ? std::optional(added) : std::nullopt;
  if (x.base_kind != OperandKind::kRegister) return {};
  const ValueId vx = flow.read(from, from_operand), vy = flow.read(to, to_operand);
  if (vx == kNone || vy == kNone) return {};
  // A 32-bit register addresses shared memory, in which nothing reaches around the end.
  const unsigned register_width =
      value_width(flow.function->registers[flow.values.values[vx].reg].type);
  if (register_width != value_width(flow.function->registers[flow.values.values[vy].reg].type))
    return {};
  const auto d = values(vx, vy, register_width);
  if (!d) return {};
  return narrowed(bits(*d) + bits(added), width);
}

std::optional<int64_t> ValueDistance::distance(ValueId from, ValueId to, unsigned width) {
  if (from == to) return 0;
  // Values are far fewer than 2^28.
  const uint64_t key = uint64_t{width} << 56 ^ uint64_t { from } << 28 ^ to;
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  const auto d = find_distance(from, to, width);
  if (steps_ >= 0) known_.emplace(key, d);  // else it was given up
  return d;
}

std::optional<int64_t> ValueDistance::find_distance(ValueId from, ValueId to, unsigned width) {
  if (--steps_ < 0) return {};
  const Root a = root_of(from, width), b = root_of(to, width);
  const uint64_t added = bits(b.offset) - bits(a.offset);
  if (a.value == b.value) return narrowed(added, width);
  const uint32_t x = writer(a.value), y = writer(b.value);
  if (x == kNone || y == kNone) return {};
  const auto d = same_operation(x, y, width);
  if (!d) return {};
  return narrowed(bits(*d) + added, width);
}

std::optional<int64_t> ValueDistance::distance(const Source& from, const Source& to,
                                               unsigned width) {
  if (from.constant && to.constant)
    return narrowed(bits(*to.constant) - bits(*from.constant), width);
  if (from.value != kNone && to.value != kNone) return distance(from.value, to.value, width);
  if (from.operand == nullptr || to.operand == nullptr || from.operand->kind != to.operand->kind ||
      from.operand->id != to.operand->id)
    return {};
  if (from.operand->kind == OperandKind::kSymbol)
    return narrowed(bits(to.operand->value) - bits(from.operand->value), width);
  if (from.operand->kind == OperandKind::kSpecialRegister &&
      from.operand->selector == to.operand->selector) {
    const auto all = ptx::special_registers();
    if (from.operand->id < all.size() && !all[from.operand->id].has(ptx::kChangesOverTime))
      return 0;
  }
  return {};
}

// Both instructions do the same to operands whose distances are known.
std::optional<int64_t> ValueDistance::same_operation(uint32_t from, uint32_t to, unsigned width) {
  const FlowFacts& flow = subject_.flow();
  const ptx::Instruction &i = flow.instruction(from), &j = flow.instruction(to);
  const ptx::Opcode& o = *i.opcode;
  if (i.opcode != j.opcode || i.operand_count != j.operand_count || o.has(ptx::kReadsCC)) return {};
  if (o.mnemonic == Mnemonic::kLd) {
    // A kernel's parameters do not change.
    if (!subject_.function().is_entry || ptx::base_space(o.space) != ptx::Space::kParam ||
        o.vector > 1)
      return {};
    const auto &a = flow.module->operands_of(i)[1], &b = flow.module->operands_of(j)[1];
    const bool same = a.kind == OperandKind::kAddress && b.kind == OperandKind::kAddress &&
                      a.base_kind == OperandKind::kSymbol && b.base_kind == OperandKind::kSymbol &&
                      a.id == b.id && a.value == b.value &&
                      flow.module->symbols[a.id].kind == ptx::SymbolKind::kParameter;
    return same ? std::optional<int64_t>(0) : std::nullopt;
  }
  const IntInstruction op = classify(o);
  if (op.op == IntOp::kOther) return {};
  auto pair = [&](uint8_t x, uint8_t y, unsigned w) {
    return distance(source(from, x), source(to, y), w);
  };
  const unsigned w = op.width;
  if (op.result_width == width || op.op == IntOp::kConvert) switch (op.op) {
      case IntOp::kAdd:
      case IntOp::kSub: {
        auto x = pair(1, 1, w), y = pair(2, 2, w);
        if (x && y)
          return narrowed(op.op == IntOp::kAdd ? bits(*x) + bits(*y) : bits(*x) - bits(*y), w);
        if (op.op == IntOp::kSub) return {};
        x = pair(1, 2, w);
        y = x ? pair(2, 1, w) : std::nullopt;
        return x && y ? std::optional(narrowed(bits(*x) + bits(*y), w)) : std::nullopt;
      }
      case IntOp::kShl: {
        const Source a = source(from, 2), b = source(to, 2);
        if (!a.constant || !b.constant || *a.constant != *b.constant || bits(*a.constant) >= w)
          return {};
        const auto x = pair(1, 1, w);
        return x ? std::optional(narrowed(bits(*x) << *a.constant, w)) : std::nullopt;
      }
      case IntOp::kMul:
      case IntOp::kMad:
      case IntOp::kMulWide:
      case IntOp::kMadWide: {
        const bool wide = op.op == IntOp::kMulWide || op.op == IntOp::kMadWide;
        const Source a = source(from, 2), b = source(to, 2);
        std::optional<int64_t> product;
        if (a.constant && b.constant && *a.constant == *b.constant) {
          const auto x =
              wide ? widened(source(from, 1), source(to, 1), w, op.is_signed) : pair(1, 1, w);
          const int64_t factor = op.is_signed || !wide
                                     ? sign_extended(bits(*a.constant), w)
                                     : static_cast<int64_t>(bits(*a.constant) & Bits::mask(w));
          if (x) product = static_cast<int64_t>(bits(*x) * bits(factor));
        } else if (const auto x = pair(1, 1, w), y = pair(2, 2, w); x && y && *x == 0 && *y == 0) {
          product = 0;
        }
        if (!product) return {};
        if (op.op == IntOp::kMul || op.op == IntOp::kMulWide)
          return narrowed(bits(*product), width);
        const auto z = pair(3, 3, width);
        return z ? std::optional(narrowed(bits(*product) + bits(*z), width)) : std::nullopt;
      }
      case IntOp::kConvert: {
        if (op.result_width > width) break;
        if (op.result_width <= op.width) {
          const auto x = pair(1, 1, op.result_width);
          if (!x) return {};
          if (op.result_width == width) return x;
          return *x == 0 ? x : std::nullopt;
        }
        return op.result_width == width ? widened(source(from, 1), source(to, 1), w, op.is_signed)
                                        : std::nullopt;
      }
      default:
        break;
    }
  for (uint8_t k = 1; k < i.operand_count; ++k) {
    const auto d = pair(k, k, w);
    if (!d || *d != 0) return {};
  }
  return 0;
}

// The distance of two values after they are zero- or sign-extended from `width`.
std::optional<int64_t> ValueDistance::widened(const Source& from, const Source& to, unsigned width,
                                              bool is_signed) {
  const auto d = distance(from, to, width);
  if (!d || *d == 0) return d;
  if (from.constant && to.constant)
    return is_signed ? sign_extended(bits(*to.constant), width) -
                           sign_extended(bits(*from.constant), width)
                     : static_cast<int64_t>((bits(*to.constant) & Bits::mask(width)) -
                                            (bits(*from.constant) & Bits::mask(width)));
  if (from.value == kNone || to.value == kNone) return {};
  if (*d > 0 ? stays_in_range(from, *d, width, is_signed)
             : stays_in_range(to, -*d, width, is_signed))
    return d;
  // Constants below the low bits that the common root leaves clear carry nothing upwards.
  const Root a = root_of(from.value, width), b = root_of(to.value, width);
  if (a.value != b.value) return {};
  const unsigned clear =
      std::min(subject_.uniformity().facts[a.value].bits.trailing_zeros(), width - 1);
  const auto fits = [&](int64_t c) { return c >= 0 && bits(c) < (uint64_t{1} << clear); };
  return clear > 0 && fits(a.offset) && fits(b.offset) ? d : std::nullopt;
}

bool ValueDistance::stays_in_range(const Source& s, int64_t added, unsigned width,
                                   bool is_signed) const {
  const Bits& known = subject_.uniformity().facts[s.value].bits;
  if (known.is_bottom()) return false;
  const uint64_t most = known.max() & Bits::mask(width);
  const uint64_t limit = Bits::mask(is_signed ? width - 1 : width);
  return most <= limit && bits(added) <= limit - most;
}

std::optional<int64_t> ValueDistance::per_turn(ValueId v, LoopId loop, unsigned width) {
  steps_ = kMostSteps;
  return turn(v, loop, width);
}

std::optional<int64_t> ValueDistance::turn(ValueId v, LoopId loop, unsigned width) {
  const FlowFacts& flow = subject_.flow();
  if (!flow.loops.contains(loop, flow.block_of_value(v)) ||
      flow.values.values[v].kind == ValueKind::kParameter)
    return 0;
  if (--steps_ < 0) return {};
  const Root root = root_of(v, width);
  const Value& value = flow.values.values[root.value];
  if (!flow.loops.contains(loop, flow.block_of_value(root.value))) return 0;
  if (value.kind == ValueKind::kPhi) {
    if (value.where != flow.loops.loops[loop].header) return {};
    const auto operands = flow.values.operands_of_phi(flow.cfg, root.value);
    const auto before = flow.cfg.predecessors(value.where);
    std::optional<int64_t> step;
    for (size_t k = 0; k < before.size(); ++k) {
      if (operands[k] == kNone || !flow.loops.contains(loop, before[k])) continue;
      const Root next = root_of(operands[k], width);
      if (next.value != root.value || (step && *step != next.offset)) return {};
      step = next.offset;
    }
    return step;
  }
  const uint32_t i = writer(root.value);
  if (i == kNone || flow.instruction(i).opcode->has(ptx::kReadsCC)) return {};
  const IntInstruction op = classify(*flow.instruction(i).opcode);
  const unsigned w = op.width;
  auto of = [&](uint8_t k) { return turn(source(i, k), loop, w); };
  switch (op.op) {
    case IntOp::kAdd:
    case IntOp::kSub: {
      if (op.result_width != width) return {};
      const auto x = of(1), y = of(2);
      if (!x || !y) return {};
      return narrowed(op.op == IntOp::kAdd ? bits(*x) + bits(*y) : bits(*x) - bits(*y), w);
    }
    case IntOp::kShl: {
      const Source amount = source(i, 2);
      const auto x = of(1);
      if (op.result_width != width || !x || !amount.constant || bits(*amount.constant) >= w)
        return {};
      return narrowed(bits(*x) << *amount.constant, w);
    }
    case IntOp::kMul:
    case IntOp::kMad: {
      if (op.result_width != width) return {};
      const Source factor = source(i, 2);
      const auto x = of(1), y = of(2);
      if (!x || !y) return {};
      std::optional<int64_t> product;
      if (*x == 0 && *y == 0) product = 0;
      if (factor.constant) product = narrowed(bits(*x) * bits(*factor.constant), w);
      if (!product || op.op == IntOp::kMul) return product;
      const auto z = of(3);
      return z ? std::optional(narrowed(bits(*product) + bits(*z), w)) : std::nullopt;
    }
    case IntOp::kOther:
      return {};
    default:
      break;
  }
  // Any other operation gives the same again for the same operands. What is widened may have
  // wrapped, so a moving index is no certain distance behind it.
  std::optional<int64_t> sum = 0;
  const bool added = op.op == IntOp::kMadWide;
  for (uint8_t k = 1; k < flow.instruction(i).operand_count; ++k) {
    const auto d = turn(source(i, k), loop, added && k == 3 ? op.result_width : w);
    if (!d) return {};
    if (added && k == 3) {
      sum = d;
    } else if (*d != 0) {
      return {};
    }
  }
  return op.result_width == width || *sum == 0 ? sum : std::nullopt;
}

std::optional<int64_t> ValueDistance::turn(const Source& s, LoopId loop, unsigned width) {
  if (s.constant) return 0;
  if (s.value != kNone) return turn(s.value, loop, width);
  if (s.operand == nullptr) return {};
  switch (s.operand->kind) {
    case OperandKind::kSymbol:
      return 0;
    case OperandKind::kSpecialRegister: {
      const auto all = ptx::special_registers();
      const bool still =
          s.operand->id < all.size() && !all[s.operand->id].has(ptx::kChangesOverTime);
      return still ? std::optional<int64_t>(0) : std::nullopt;
    }
    default:
      return {};
  }
}

}  // namespace pitot::transform
