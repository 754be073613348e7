// Affine loop counters over def-use chains.
#include "analysis/trip_counts.h"

#include <algorithm>

namespace pitot::analysis {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandKind;

constexpr int kChase = 64;

__extension__ typedef __int128 Wide;  // differences of 64-bit counters

// A value as base + offset, following moves and additions of constants; a constant has no base.
struct Affine {
  ValueId base = kNone;  // kNone: the constant `offset`
  int64_t offset = 0;
};

struct Condition {
  enum class Op : uint8_t { kLt, kLe, kGt, kGe, kEq, kNe } op = Op::kEq;
  bool is_signed = true;
  unsigned width = 32;
};

class Finder {
 public:
  explicit Finder(const FlowFacts& flow) : flow_(flow) {}

  TripCount find(LoopId l) {
    TripCount best;
    for (BlockId b : flow_.loops.blocks_of(l)) {
      if (flow_.loops.loop_of[b] != l || !flow_.cfg.blocks[b].conditional) continue;
      TripCount t = by_exit(l, b);
      // Several tests on every trip: the first to fail ends the loop.
      if (t.trips && (!best.trips || *t.trips < *best.trips)) best = t;
      if (!best.trips && best.parameter == kNoId && (t.parameter != kNoId || t.step != 0)) best = t;
    }
    return best;
  }

 private:
  const ptx::Operand* operand(uint32_t i, size_t k) const {
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    return k < ops.size() ? &ops[k] : nullptr;
  }

  // The constant or value that operand k of instruction i is.
  Affine read(uint32_t i, uint8_t k) const {
    const ptx::Operand* o = operand(i, k);
    if (o == nullptr) return {};
    if (o->kind == OperandKind::kInteger) return {kNone, o->value};
    if (o->kind != OperandKind::kRegister) return {unknown(), 0};
    return follow(flow_.read(i, k), 0);
  }
  static ValueId unknown() { return kNone - 1; }

  Affine follow(ValueId v, int64_t offset) const {
    for (int n = 0; n < kChase; ++n) {
      if (v == kNone) return {unknown(), 0};
      const Value& value = flow_.values.values[v];
      // A write under a guard may leave the old value.
      if (value.kind != ValueKind::kWrite || value.from != kNone) return {v, offset};
      uint32_t i = flow_.accesses.instruction_of[value.where];
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      const ptx::Operand* a = operand(i, 1);
      if (a == nullptr) return {v, offset};
      if (op.mnemonic == Mnemonic::kMov) {
        if (a->kind == OperandKind::kInteger) return {kNone, wrap_add(a->value, offset)};
        if (a->kind != OperandKind::kRegister) return {v, offset};
        v = flow_.read(i, 1);
        continue;
      }
      bool add = op.mnemonic == Mnemonic::kAdd, sub = op.mnemonic == Mnemonic::kSub;
      const ptx::Operand* b = operand(i, 2);
      if ((!add && !sub) || b == nullptr || op.has(ptx::kReadsCC) ||
          ptx::kind_of(op.type) == ptx::TypeKind::kFloat)
        return {v, offset};
      if (b->kind == OperandKind::kInteger && a->kind == OperandKind::kRegister) {
        offset = wrap_add(offset, sub ? wrap_add(0, -b->value) : b->value);
        v = flow_.read(i, 1);
      } else if (add && a->kind == OperandKind::kInteger && b->kind == OperandKind::kRegister) {
        offset = wrap_add(offset, a->value);
        v = flow_.read(i, 2);
      } else {
        return {v, offset};
      }
    }
    return {unknown(), 0};
  }
  static int64_t wrap_add(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }

  // The parameter a value was loaded from, kNoId if none.
  ptx::SymbolId parameter_of(ValueId v) const {
    if (v >= flow_.values.values.size()) return kNoId;
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite) return kNoId;
    uint32_t i = flow_.accesses.instruction_of[value.where];
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    if (op.mnemonic != Mnemonic::kLd || ptx::base_space(op.space) != ptx::Space::kParam)
      return kNoId;
    const ptx::Operand* a = operand(i, 1);
    return a != nullptr && a->base_kind == OperandKind::kSymbol ? a->id : kNoId;
  }

  std::optional<Condition> condition_of(const ptx::Opcode& op) const {
    Condition c;
    if (op.mnemonic != Mnemonic::kSetp || op.has_mod(Mod::kAnd) || op.has_mod(Mod::kOr) ||
        op.has_mod(Mod::kXor))
      return std::nullopt;
    auto kind = ptx::kind_of(op.type);
    if (kind == ptx::TypeKind::kFloat || kind == ptx::TypeKind::kNone) return std::nullopt;
    c.is_signed = kind == ptx::TypeKind::kSigned;
    c.width = ptx::bits_of(op.type);
    using Op = Condition::Op;
    if (op.has_mod(Mod::kLt))
      c.op = Op::kLt;
    else if (op.has_mod(Mod::kLe))
      c.op = Op::kLe;
    else if (op.has_mod(Mod::kGt))
      c.op = Op::kGt;
    else if (op.has_mod(Mod::kGe))
      c.op = Op::kGe;
    else if (op.has_mod(Mod::kEq))
      c.op = Op::kEq;
    else if (op.has_mod(Mod::kNe))
      c.op = Op::kNe;
    else {
      c.is_signed = false;
      if (op.has_mod(Mod::kLo))
        c.op = Op::kLt;
      else if (op.has_mod(Mod::kLs))
        c.op = Op::kLe;
      else if (op.has_mod(Mod::kHi))
        c.op = Op::kGt;
      else if (op.has_mod(Mod::kHs))
        c.op = Op::kGe;
      else
        return std::nullopt;
    }
    return c;
  }

  static Condition::Op negate(Condition::Op op) {
    using Op = Condition::Op;
    switch (op) {
      case Op::kLt:
        return Op::kGe;
      case Op::kLe:
        return Op::kGt;
      case Op::kGt:
        return Op::kLe;
      case Op::kGe:
        return Op::kLt;
      case Op::kEq:
        return Op::kNe;
      case Op::kNe:
        return Op::kEq;
    }
    return op;
  }
  static Condition::Op mirror(Condition::Op op) {
    using Op = Condition::Op;
    switch (op) {
      case Op::kLt:
        return Op::kGt;
      case Op::kLe:
        return Op::kGe;
      case Op::kGt:
        return Op::kLt;
      case Op::kGe:
        return Op::kLe;
      default:
        return op;
    }
  }

  // Smallest t ≥ 0 for which `x + t·step OP n` fails; nothing when it never does or the counter
  // wraps.
  static std::optional<uint64_t> first_failure(Condition c, int64_t x_bits, int64_t step_bits,
                                               int64_t n_bits) {
    using Op = Condition::Op;
    auto value = [&](int64_t v, bool is_signed) -> Wide {
      uint64_t mask = c.width >= 64 ? ~0ull : (1ull << c.width) - 1;
      uint64_t u = static_cast<uint64_t>(v) & mask;
      if (is_signed && c.width <= 64 && ((u >> (c.width - 1)) & 1) != 0)
        return static_cast<Wide>(u) - (static_cast<Wide>(mask) + 1);
      return static_cast<Wide>(u);
    };
    Wide x = value(x_bits, c.is_signed), n = value(n_bits, c.is_signed),
         step = value(step_bits, true);
    Wide low = c.is_signed ? -(static_cast<Wide>(1) << (c.width - 1)) : 0;
    Wide high = c.is_signed ? (static_cast<Wide>(1) << (c.width - 1)) - 1
                            : (static_cast<Wide>(1) << c.width) - 1;
    auto result = [](Wide t) -> std::optional<uint64_t> {
      if (t < 0 || t > static_cast<Wide>(UINT64_MAX)) return std::nullopt;
      return static_cast<uint64_t>(t);
    };
    switch (c.op) {
      case Op::kEq:
        if (x != n) return 0;
        return step != 0 ? std::optional<uint64_t>(1) : std::nullopt;
      case Op::kNe: {
        Wide modulus = static_cast<Wide>(1) << c.width;
        Wide distance = step > 0 ? n - x : x - n, s = step > 0 ? step : -step;
        if (distance < 0) distance += modulus;
        if (distance == 0) return 0;
        if (s == 0 || distance % s != 0) return std::nullopt;
        return result(distance / s);
      }
      case Op::kLe:
        if (n == high) return std::nullopt;
        n += 1;
        [[fallthrough]];
      case Op::kLt: {
        if (x >= n) return 0;
        if (step <= 0) return std::nullopt;
        Wide t = (n - x + step - 1) / step;
        return x + t * step > high ? std::nullopt : result(t);
      }
      case Op::kGe:
        if (n == low) return std::nullopt;
        n -= 1;
        [[fallthrough]];
      case Op::kGt: {
        if (x <= n) return 0;
        if (step >= 0) return std::nullopt;
        Wide t = (x - n - step - 1) / -step;
        return x + t * step < low ? std::nullopt : result(t);
      }
    }
    return std::nullopt;
  }

  TripCount by_exit(LoopId l, BlockId b) const {
    TripCount out;
    const Cfg& cfg = flow_.cfg;
    BlockId stays = kNone;
    bool leaves = cfg.blocks[b].leaves != 0;
    for (BlockId s : cfg.successors(b)) {
      if (flow_.loops.contains(l, s))
        stays = stays == kNone ? s : kNone - 1;
      else
        leaves = true;
    }
    if (!leaves || stays >= kNone - 1) return out;
    // The test must run on every trip.
    for (BlockId p : cfg.predecessors(flow_.loops.loops[l].header))
      if (flow_.loops.contains(l, p) && !flow_.dom.dominates(b, p)) return out;
    uint32_t branch = cfg.deciding_instruction(*flow_.module, *flow_.function, b);
    if (branch == kNone) return out;
    EdgeSense sense = cfg.sense(b, stays);
    if (sense == EdgeSense::kEither) return out;
    ValueId guard = flow_.read(branch, kImplicitOperand);
    if (guard == kNone || flow_.values.values[guard].kind != ValueKind::kWrite ||
        flow_.values.values[guard].from != kNone)
      return out;
    const RegAccess& written = flow_.accesses.items[flow_.values.values[guard].where];
    uint32_t setp = flow_.accesses.instruction_of[flow_.values.values[guard].where];
    if (written.operand != 0 || written.element != 0) return out;
    auto condition = condition_of(*flow_.instruction(setp).opcode);
    if (!condition) return out;
    // A sense speaks of the guard with its negation applied; the comparison made the bare register.
    bool holds = (sense == EdgeSense::kGuardHolds) != flow_.instruction(branch).guard_negated;
    if (!holds) condition->op = negate(condition->op);

    Affine x = read(setp, 1), n = read(setp, 2);
    if (!is_counter(l, x)) {
      std::swap(x, n);
      condition->op = mirror(condition->op);
    }
    if (!is_counter(l, x)) return out;
    Affine start, next;
    if (!counter(l, x.base, start, next) || next.base != x.base) return out;
    out.step = next.offset;
    if (n.base == kNone && start.base == kNone) {
      auto t = first_failure(*condition, wrap_add(start.offset, x.offset), next.offset, n.offset);
      // A test at the top runs once more than the body that follows it.
      BlockId header = flow_.loops.loops[l].header;
      bool at_bottom = b != header || stays == header;
      if (t) out.trips = *t + (at_bottom ? 1 : 0);
    } else {
      out.parameter = parameter_of(n.base != kNone ? n.base : start.base);
    }
    return out;
  }

  bool is_counter(LoopId l, const Affine& a) const {
    if (a.base >= flow_.values.values.size()) return false;
    const Value& v = flow_.values.values[a.base];
    return v.kind == ValueKind::kPhi && v.where == flow_.loops.loops[l].header;
  }

  // Start of the phi from outside, and what it becomes a trip, the same over all back edges.
  bool counter(LoopId l, ValueId phi, Affine& start, Affine& next) const {
    BlockId header = flow_.values.values[phi].where;
    auto operands = flow_.values.operands_of_phi(flow_.cfg, phi);
    auto predecessors = flow_.cfg.predecessors(header);
    bool has_start = false, has_next = false;
    for (size_t k = 0; k < predecessors.size(); ++k) {
      if (operands[k] == kNone) continue;
      Affine a = follow(operands[k], 0);
      bool inside = flow_.loops.contains(l, predecessors[k]);
      Affine& slot = inside ? next : start;
      bool& has = inside ? has_next : has_start;
      if (has && (slot.base != a.base || slot.offset != a.offset)) return false;
      slot = a;
      has = true;
    }
    return has_start && has_next;
  }

  const FlowFacts& flow_;
};

}  // namespace

std::vector<TripCount> trip_counts(const FlowFacts& flow) {
  std::vector<TripCount> out(flow.loops.loops.size());
  Finder finder(flow);
  for (LoopId l = 0; l < out.size(); ++l)
    if (!flow.loops.loops[l].irreducible) out[l] = finder.find(l);
  return out;
}

std::vector<double> block_weights(const FlowFacts& flow, const std::vector<TripCount>& trips,
                                  double default_trips) {
  std::vector<double> loop_weight(trips.size(), 1);
  for (LoopId l = 0; l < trips.size(); ++l) {  // outer loops come first
    LoopId parent = flow.loops.loops[l].parent;
    double own = trips[l].trips ? static_cast<double>(*trips[l].trips) : default_trips;
    loop_weight[l] = std::min((parent == kNone ? 1.0 : loop_weight[parent]) * own, 1e12);
  }
  std::vector<double> out(flow.cfg.size(), 0);
  for (BlockId b : flow.cfg.order)
    out[b] = flow.loops.loop_of[b] == kNone ? 1.0 : loop_weight[flow.loops.loop_of[b]];
  return out;
}

}  // namespace pitot::analysis
