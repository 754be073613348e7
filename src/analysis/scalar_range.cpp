#include "analysis/scalar_range.h"

#include <algorithm>

#include "ptx/special_register.h"

namespace pitot::analysis {

using ptx::Operand;
using ptx::OperandKind;
using ptx::SpecialId;

namespace {

// A result of exact arithmetic; everything when it may not fit the width.
ScalarRange fitted_result(Wide low, Wide high, unsigned width) {
  if (low > high) std::swap(low, high);
  if (low < -power(width - 1) || high >= power(width)) return ScalarRange::full(width);
  return {low, high};
}

ScalarRange product(const ScalarRange& a, const ScalarRange& b, unsigned width) {
  // Bounds of at most 2^32 keep the products within 128 bits with room to spare.
  auto small = [](const ScalarRange& r) { return r.low >= -power(62) && r.high <= power(62); };
  if (!small(a) || !small(b)) return ScalarRange::full(width);
  const std::array<Wide, 4> p = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return fitted_result(*std::min_element(p.begin(), p.end()), *std::max_element(p.begin(), p.end()),
                       width);
}

ScalarRange joined(const ScalarRange& a, const ScalarRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// Results of operations on ranges that are not all single values.
ScalarRange combine(const IntInstruction& op, std::span<const ScalarRange> s) {
  const unsigned w = op.width, out = op.result_width;
  const ScalarRange all = ScalarRange::full(out);
  auto source = [&](size_t k) { return s[k].as(op.is_signed, w); };
  switch (op.op) {
    case IntOp::kMov:
      return s[0];
    case IntOp::kAdd:
      return fitted_result(s[0].low + s[1].low, s[0].high + s[1].high, out);
    case IntOp::kSub:
      return fitted_result(s[0].low - s[1].high, s[0].high - s[1].low, out);
    case IntOp::kNeg:
      return fitted_result(-s[0].high, -s[0].low, out);
    case IntOp::kMul:
    case IntOp::kMulWide:
      return product(source(0), source(1), out);
    case IntOp::kMad:
    case IntOp::kMadWide: {
      const ScalarRange p = product(source(0), source(1), out);
      return fitted_result(p.low + s[2].low, p.high + s[2].high, out);
    }
    case IntOp::kAnd:
      // Not above either operand that is not negative.
      if (s[0].low >= 0 && s[1].low >= 0) return {0, std::min(s[0].high, s[1].high)};
      if (s[0].low >= 0) return {0, s[0].high};
      if (s[1].low >= 0) return {0, s[1].high};
      return all;
    case IntOp::kMin:
      return {std::min(source(0).low, source(1).low), std::min(source(0).high, source(1).high)};
    case IntOp::kMax:
      return {std::max(source(0).low, source(1).low), std::max(source(0).high, source(1).high)};
    case IntOp::kDiv: {
      const ScalarRange a = source(0), b = source(1);
      if (b.low <= 0 || a.low < 0) return all;
      return {a.low / b.high, a.high / b.low};
    }
    case IntOp::kRem: {
      const ScalarRange a = source(0), b = source(1);
      if (b.low <= 0 || a.low < 0) return all;
      return {0, std::min(a.high, b.high - 1)};
    }
    case IntOp::kShl:
      if (!s[1].exact() || s[1].low < 0 || s[1].low >= w) return all;
      return product(s[0], ScalarRange::constant(uint64_t{1} << static_cast<unsigned>(s[1].low)),
                     out);
    case IntOp::kShr: {
      if (!s[1].exact() || s[1].low < 0 || s[1].low >= w) return all;
      const ScalarRange a = source(0);
      const unsigned by = static_cast<unsigned>(s[1].low);
      return {a.low >> by, a.high >> by};
    }
    case IntOp::kSelect:
      return joined(s[0], s[1]);
    case IntOp::kConvert: {
      // Extension keeps the value; truncation only what fits anyway.
      const ScalarRange a = source(0);
      return a.low >= -power(out - 1) && a.high < power(out) ? a : all;
    }
    default:
      return all;
  }
}

uint64_t pattern(Wide v, unsigned width) { return static_cast<uint64_t>(v) & Bits::mask(width); }

// Sources that an operation reads, in operand order from 1.
unsigned ranged_sources(IntOp op) {
  switch (op) {
    case IntOp::kMov:
    case IntOp::kNot:
    case IntOp::kNeg:
    case IntOp::kAbs:
    case IntOp::kPopc:
    case IntOp::kClz:
    case IntOp::kBrev:
    case IntOp::kCnot:
    case IntOp::kConvert:
      return 1;
    case IntOp::kMad:
    case IntOp::kMadWide:
    case IntOp::kSelect:
      return 3;
    case IntOp::kAdd:
    case IntOp::kSub:
    case IntOp::kMul:
    case IntOp::kMulHi:
    case IntOp::kMulWide:
    case IntOp::kAnd:
    case IntOp::kOr:
    case IntOp::kXor:
    case IntOp::kMin:
    case IntOp::kMax:
    case IntOp::kDiv:
    case IntOp::kRem:
    case IntOp::kShl:
    case IntOp::kShr:
      return 2;
    default:
      return 0;
  }
}

}  // namespace

ScalarRange ScalarRange::as(bool is_signed, unsigned width) const {
  const Wide seam = power(width - 1), size = power(width);
  if (is_signed) {
    if (high < seam) return *this;
    if (low >= seam) return {low - size, high - size};
    return {-seam, seam - 1};
  }
  if (low >= 0) return *this;
  if (high < 0) return {low + size, high + size};
  return full(width);
}

ScalarRange ScalarRanges::value(ValueId v, unsigned depth) {
  if (v == kNone) return ScalarRange::full(64);
  if (auto it = known_ranges_.find(v); it != known_ranges_.end()) return it->second;
  const Value& value_here = facts_.values.values[v];
  const auto& registers = facts_.function->registers;
  const unsigned width =
      value_here.reg < registers.size() ? value_width(registers[value_here.reg].type) : 1;
  const ScalarRange all = ScalarRange::full(width);
  if (depth >= kMaxDepth) return all;
  // A value that is asked for while it is being worked out goes round a loop.
  known_ranges_.emplace(v, all);
  ScalarRange out = all;
  if (value_here.kind == ValueKind::kWrite) {
    out = written(v, width, depth + 1);
    if (value_here.from != kNone) out = joined(out, value(value_here.from, depth + 1));
  } else if (value_here.kind == ValueKind::kPhi) {
    bool first = true;
    for (ValueId o : facts_.values.operands_of_phi(facts_.cfg, v)) {
      if (o == kNone) continue;
      const ScalarRange r = value(o, depth + 1);
      out = first ? r : joined(out, r);
      first = false;
    }
  }
  known_ranges_[v] = out;
  return out;
}

ScalarRange ScalarRanges::written(ValueId v, unsigned width, unsigned depth) {
  const ScalarRange all = ScalarRange::full(width);
  const Value& value_here = facts_.values.values[v];
  const RegAccess& write = facts_.accesses.items[value_here.where];
  if (write.operand != 0 || write.partial || write.element != 0) return all;
  const uint32_t i = facts_.accesses.instruction_of[value_here.where];
  const ptx::Instruction& instruction = facts_.instruction(i);
  const ptx::Opcode& op = *instruction.opcode;
  const auto operands = facts_.module->operands_of(instruction);
  if (operands[0].kind == OperandKind::kVector) return all;
  if (op.has(ptx::kLoad)) return load(i, width);
  if (op.has(ptx::kReadsCC)) return all;
  const IntInstruction what = classify(op);
  const unsigned count = ranged_sources(what.op);
  if (count == 0 || operands.size() < count + 1 || what.result_width == 0) return all;
  std::array<ScalarRange, 3> sources;
  for (uint8_t k = 0; k < count; ++k) {
    // A wide multiply-add adds at the width of its result; a select ends in a predicate.
    unsigned w = what.width;
    if (what.op == IntOp::kMadWide && k == 2) w = what.result_width;
    if (what.op == IntOp::kSelect && k == 2) w = 1;
    if ((what.op == IntOp::kShl || what.op == IntOp::kShr) && k == 1) w = 32;
    sources[k] = operand_range(i, k + 1, w, depth);
  }
  ScalarRange out;
  const bool exact = std::all_of(sources.begin(), sources.begin() + count,
                                 [](const ScalarRange& r) { return r.exact(); });
  if (exact && what.op != IntOp::kSelect) {
    std::array<uint64_t, 3> bits{};
    for (size_t k = 0; k < count; ++k) {
      const bool wide = what.op == IntOp::kMadWide && k == 2;
      bits[k] = pattern(sources[k].low, wide ? what.result_width : what.width);
      if ((what.op == IntOp::kShl || what.op == IntOp::kShr) && k == 1)
        bits[k] = pattern(sources[k].low, 32);
    }
    uint64_t result = 0;
    if (!evaluate(what, std::span(bits).first(count), result)) return all;
    out = ScalarRange::constant(result);
  } else {
    out = combine(what, std::span(sources).first(count));
  }
  if (what.result_signed) out = out.as(true, what.result_width);
  return out.low >= -power(width - 1) && out.high < power(width) ? out : all;
}

ScalarRange ScalarRanges::operand_range(uint32_t i, uint8_t k, unsigned width, unsigned depth) {
  const auto operands = facts_.module->operands_of(facts_.instruction(i));
  const ScalarRange all = ScalarRange::full(width == 0 ? 64 : width);
  if (k >= operands.size() || width == 0) return all;
  const Operand& o = operands[k];
  switch (o.kind) {
    case OperandKind::kInteger: {
      // Written as signed or unsigned: both are the same pattern.
      const ScalarRange r = ScalarRange::constant(pattern(o.value, width));
      return o.value < 0 ? r.as(true, width) : r;
    }
    case OperandKind::kSpecialRegister:
      return special(o, width);
    case OperandKind::kRegister: {
      if (o.selector != ptx::Selector::kNone) return all;
      const ScalarRange r = value(facts_.read(i, k), depth);
      // A wider register is read in part.
      return r.low >= -power(width - 1) && r.high < power(width) ? r : all;
    }
    default:
      return all;
  }
}

ScalarRange ScalarRanges::special(const Operand& o, unsigned width) const {
  const ScalarRange all = ScalarRange::full(width);
  const auto registers = ptx::special_registers();
  if (o.id >= registers.size()) return all;
  const int component = static_cast<int>(o.selector) - static_cast<int>(ptx::Selector::kX);
  const ptx::LaunchBounds& bounds = facts_.function->bounds;
  const auto& block = known_.block ? known_.block : bounds.reqntid;
  Wide most_threads = component == 2 ? 64 : 1024;  // CUDA's limits of a block
  if (bounds.maxntid)
    most_threads = std::min(
        most_threads, Wide{(*bounds.maxntid)[0]} * (*bounds.maxntid)[1] * (*bounds.maxntid)[2]);
  const Wide most_blocks = component == 0 ? power(31) - 1 : 65535;  // and of a grid
  const bool in_three = component >= 0 && component < 3;
  const size_t c = in_three ? static_cast<size_t>(component) : 0;
  switch (registers[o.id].id()) {
    case SpecialId::kTid:
      if (!in_three) return all;
      return {0, (block ? Wide{(*block)[c]} : most_threads) - 1};
    case SpecialId::kNtid:
      if (!in_three) return all;
      return block ? ScalarRange::constant((*block)[c]) : ScalarRange{1, most_threads};
    case SpecialId::kCtaid:
      if (!in_three) return all;
      return {0, (known_.grid ? Wide{(*known_.grid)[c]} : most_blocks) - 1};
    case SpecialId::kNctaid:
      if (!in_three) return all;
      return known_.grid ? ScalarRange::constant((*known_.grid)[c]) : ScalarRange{1, most_blocks};
    case SpecialId::kClusterNctarank:
      return {1, 16};  // what hardware takes at most, portable or not
    case SpecialId::kLaneid:
      return {0, 31};
    default:
      return all;
  }
}

ScalarRange ScalarRanges::load(uint32_t i, unsigned width) const {
  const ptx::Instruction& instruction = facts_.instruction(i);
  const ptx::Opcode& op = *instruction.opcode;
  const ScalarRange all = ScalarRange::full(width);
  const unsigned loaded = int_width(op.type);
  if (loaded == 0 || loaded > width || op.vector > 1) return all;
  const bool is_signed = ptx::kind_of(op.type) == ptx::TypeKind::kSigned;
  const ScalarRange any = is_signed ? ScalarRange{-power(loaded - 1), power(loaded - 1) - 1}
                                    : ScalarRange::full(loaded);
  const auto operands = facts_.module->operands_of(instruction);
  if (ptx::base_space(op.space) != ptx::Space::kParam || operands.size() < 2) return any;
  const Operand& address = operands[1];
  if (address.base_kind != OperandKind::kSymbol || address.value != 0) return any;
  for (const auto& [symbol, given] : known_.parameters)
    if (symbol == address.id) {
      const ScalarRange r = ScalarRange::constant(pattern(static_cast<Wide>(given), loaded));
      return is_signed ? r.as(true, loaded) : r;
    }
  return any;
}

}  // namespace pitot::analysis
