#include "analysis/loop_counter.h"

#include <algorithm>

#include "analysis/trip_arithmetic.h"

namespace pitot::analysis {
namespace {

using ptx::OperandKind;

constexpr int kChase = 64;

// A value as base + offset, following moves and additions of constants; a constant has no base.
struct Affine {
  ValueId base = kNone;  // kNone: the constant `offset`
  int64_t offset = 0;
  bool known = true;
};

int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrap_negate(int64_t a) { return static_cast<int64_t>(0 - static_cast<uint64_t>(a)); }

class CounterFinder {
 public:
  explicit CounterFinder(const FlowFacts& flow) : flow_(flow) {}

  ExitTest at(LoopId l, BlockId b) const {
    ExitTest out;
    const Cfg& cfg = flow_.cfg;
    BlockId stays = kNone;
    bool one = true;
    for (BlockId s : cfg.successors(b)) {
      if (!flow_.loops.contains(l, s)) continue;
      one = stays == kNone;
      stays = s;
    }
    if (!loop_is_left(flow_, l, b) || stays == kNone || !one) return out;
    const uint32_t branch = cfg.deciding_instruction(*flow_.module, *flow_.function, b);
    if (branch == kNone) return out;
    const EdgeSense sense = cfg.sense(b, stays);
    const ValueId guard = flow_.read(branch, kImplicitOperand);
    if (sense == EdgeSense::kEither || guard == kNone) return out;
    out.waits = waits_for(guard);
    // The test must run on every trip.
    for (BlockId p : cfg.predecessors(flow_.loops.loops[l].header))
      if (flow_.loops.contains(l, p) && !flow_.dom.dominates(b, p)) return out;
    const uint32_t test = writer(guard);
    if (test == kNone) return out;
    const IntInstruction what = classify(*flow_.instruction(test).opcode);
    if (what.op != IntOp::kCompare || what.combine != IntInstruction::Combine::kNone ||
        what.width > 64)
      return out;

    LoopCounter c;
    c.test = test;
    c.branch = branch;
    // A sense speaks of the guard with its negation applied; the comparison made the bare register.
    c.stays_when = (sense == EdgeSense::kGuardHolds) != flow_.instruction(branch).guard_negated;
    c.order = c.stays_when ? what.order : negated(what.order);
    c.is_signed = what.is_signed;
    c.width = what.width;
    Affine x = read(test, 1), n = read(test, 2);
    if (!added_to(l, x, n, c) && !shifted_by(l, x, n, c)) {
      std::swap(x, n);
      c.order = mirrored(c.order);
      if (!added_to(l, x, n, c) && !shifted_by(l, x, n, c)) return out;
    }
    c.bound = n.base;
    c.bound_offset = n.offset;
    // A test at the top runs once more than the body that follows it.
    const BlockId header = flow_.loops.loops[l].header;
    c.at_bottom = b != header || stays == header;
    out.counter = c;
    return out;
  }

 private:
  const ptx::Operand* operand(uint32_t i, size_t k) const {
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    return k < ops.size() ? &ops[k] : nullptr;
  }
  static Affine unknown() { return {kNone, 0, false}; }
  uint32_t writer(ValueId v) const { return only_writer(flow_, v); }

  // The constant or value that operand k of instruction i is.
  Affine read(uint32_t i, uint8_t k) const {
    const ptx::Operand* o = operand(i, k);
    if (o == nullptr) return unknown();
    if (o->kind == OperandKind::kInteger) return {kNone, o->value};
    if (o->kind != OperandKind::kRegister || o->selector != ptx::Selector::kNone) return unknown();
    return follow(flow_.read(i, k));
  }

  Affine follow(ValueId v) const {
    int64_t offset = 0;
    for (int n = 0; n < kChase; ++n) {
      if (v == kNone) return unknown();
      const uint32_t i = writer(v);
      if (i == kNone) return {v, offset};
      const IntInstruction what = classify(*flow_.instruction(i).opcode);
      const ptx::Operand* a = operand(i, 1);
      const ptx::Operand* b = operand(i, 2);
      if (a == nullptr || flow_.instruction(i).opcode->has(ptx::kReadsCC)) return {v, offset};
      if (what.op == IntOp::kMov) {
        if (a->kind == OperandKind::kInteger) return {kNone, wrap_add(a->value, offset)};
        if (a->kind != OperandKind::kRegister) return {v, offset};
        v = flow_.read(i, 1);
        continue;
      }
      const bool sub = what.op == IntOp::kSub;
      if ((what.op != IntOp::kAdd && !sub) || b == nullptr) return {v, offset};
      if (b->kind == OperandKind::kInteger && a->kind == OperandKind::kRegister) {
        offset = wrap_add(offset, sub ? wrap_negate(b->value) : b->value);
        v = flow_.read(i, 1);
      } else if (!sub && a->kind == OperandKind::kInteger && b->kind == OperandKind::kRegister) {
        offset = wrap_add(offset, a->value);
        v = flow_.read(i, 2);
      } else {
        return {v, offset};
      }
    }
    return unknown();
  }

  bool invariant(LoopId l, ValueId v) const {
    return v == kNone || !flow_.loops.contains(l, flow_.block_of_value(v)) ||
           flow_.values.values[v].kind == ValueKind::kUndefined ||
           flow_.values.values[v].kind == ValueKind::kParameter;
  }

  // Whether the guard waits for memory, an arrival, or another thread to change something.
  bool waits_for(ValueId guard) const {
    const uint32_t test = writer(guard);
    if (test == kNone) return false;
    auto asks = [&](uint32_t i) {
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      return op.group == ptx::Group::kMbarrier || op.has(ptx::kAtomic) ||
             (op.has(ptx::kLoad) && (op.has(ptx::kVolatile) || op.has_mod(ptx::Mod::kAcquire) ||
                                     op.has_mod(ptx::Mod::kRelaxed)));
    };
    if (asks(test)) return true;
    for (uint32_t k = flow_.accesses.first[test]; k < flow_.accesses.first[test + 1]; ++k) {
      const ValueId v = flow_.values.value_of[k];
      if (flow_.accesses.items[k].write || v == kNone) continue;
      const uint32_t i = writer(v);
      if (i != kNone && asks(i)) return true;
    }
    return false;
  }

  bool is_counter(LoopId l, ValueId base) const {
    if (base == kNone) return false;
    const Value& v = flow_.values.values[base];
    return v.kind == ValueKind::kPhi && v.where == flow_.loops.loops[l].header;
  }

  // Makes `a` relative to a phi of the header; `added` is the one unchanging value that the phi and
  // a constant leave over, if any.
  bool as_counter(LoopId l, Affine& a, ValueId& added) const {
    added = kNone;
    if (!a.known || a.base == kNone) return false;
    if (is_counter(l, a.base)) return true;
    const uint32_t i = writer(a.base);
    if (i == kNone || classify(*flow_.instruction(i).opcode).op != IntOp::kAdd) return false;
    Affine p = read(i, 1), q = read(i, 2);
    if (!p.known || !q.known) return false;
    if (!is_counter(l, p.base)) std::swap(p, q);
    if (!is_counter(l, p.base) || q.base == kNone || !invariant(l, q.base)) return false;
    added = q.base;
    a = {p.base, wrap_add(a.offset, wrap_add(p.offset, q.offset))};
    return true;
  }

  // x is a counter that constants and unchanging values are added to, n does not change.
  bool added_to(LoopId l, Affine x, const Affine& n, LoopCounter& c) const {
    ValueId added = kNone;
    if (!as_counter(l, x, added) || !n.known || !invariant(l, n.base)) return false;
    if (!steps(l, x.base, c) || (added != kNone && added != c.step_value)) return false;
    c.stepped = added != kNone;
    c.start_offset = wrap_add(c.start_offset, x.offset);
    return true;
  }

  // What a value is shifted from, and by how many bits (right positive); kNone if it is not.
  ValueId shifted_from(ValueId v, bool is_signed, int8_t& by) const {
    const uint32_t i = v == kNone ? kNone : writer(v);
    if (i == kNone) return kNone;
    const IntInstruction what = classify(*flow_.instruction(i).opcode);
    const ptx::Operand* amount = operand(i, 2);
    const bool right = what.op == IntOp::kShr && what.is_signed == is_signed;
    if ((!right && what.op != IntOp::kShl) || amount == nullptr ||
        amount->kind != OperandKind::kInteger || amount->value <= 0 || amount->value >= what.width)
      return kNone;
    by = static_cast<int8_t>(right ? amount->value : -amount->value);
    const Affine a = read(i, 1);
    return a.known && a.offset == 0 ? a.base : kNone;
  }

  // x is a counter that every trip shifts by the same number of bits, n does not change.
  bool shifted_by(LoopId l, const Affine& x, const Affine& n, LoopCounter& c) const {
    if (!x.known || x.base == kNone || x.offset != 0 || !n.known || !invariant(l, n.base))
      return false;
    int8_t by = 0;
    // Equality does not say how the shift treats the sign.
    auto from = [&](ValueId v) {
      const ValueId f = shifted_from(v, c.is_signed, by);
      if (f != kNone || (c.order != Order::kNe && c.order != Order::kEq)) return f;
      return shifted_from(v, !c.is_signed, by);
    };
    ValueId phi = x.base;
    c.stepped = !is_counter(l, phi);
    if (c.stepped) phi = from(phi);
    if (!is_counter(l, phi)) return false;
    const BlockId header = flow_.values.values[phi].where;
    const auto operands = flow_.values.operands_of_phi(flow_.cfg, phi);
    const auto in = flow_.cfg.predecessors(header);
    bool has_start = false;
    int8_t shift = c.stepped ? by : 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == kNone) continue;
      const Affine a = follow(operands[k]);
      if (!a.known) return false;
      if (k >= in.size() || !flow_.loops.contains(l, in[k])) {
        if (has_start && (c.start != a.base || c.start_offset != a.offset)) return false;
        c.start = a.base;
        c.start_offset = a.offset;
        has_start = true;
      } else {
        if (a.offset != 0 || from(a.base) != phi || (shift != 0 && shift != by)) return false;
        shift = by;
      }
    }
    c.shift = shift;
    return has_start && shift != 0;
  }

  // What the phi starts from outside and gains a trip, the same over all back edges.
  bool steps(LoopId l, ValueId phi, LoopCounter& c) const {
    const BlockId header = flow_.values.values[phi].where;
    const auto operands = flow_.values.operands_of_phi(flow_.cfg, phi);
    const auto in = flow_.cfg.predecessors(header);
    bool has_start = false, has_step = false;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == kNone) continue;
      if (k >= in.size() || !flow_.loops.contains(l, in[k])) {
        const Affine a = follow(operands[k]);
        if (!a.known || (has_start && (c.start != a.base || c.start_offset != a.offset)))
          return false;
        c.start = a.base;
        c.start_offset = a.offset;
        has_start = true;
        continue;
      }
      Affine a = follow(operands[k]);
      ValueId value = kNone;
      if (!as_counter(l, a, value) || a.base != phi) return false;
      const int64_t constant = a.offset;
      if (has_step && (c.step_value != value || c.step != constant)) return false;
      c.step_value = value;
      c.step = constant;
      has_step = true;
    }
    return has_start && has_step;
  }

  const FlowFacts& flow_;
};

}  // namespace

ExitTest exit_test(const FlowFacts& flow, LoopId loop, BlockId block) {
  return CounterFinder(flow).at(loop, block);
}

bool loop_is_left(const FlowFacts& flow, LoopId loop, BlockId block) {
  if (flow.cfg.blocks[block].leaves != 0) return true;
  for (BlockId s : flow.cfg.successors(block))
    if (!flow.loops.contains(loop, s)) return true;
  return false;
}

uint32_t only_writer(const FlowFacts& flow, ValueId v) {
  const Value& value = flow.values.values[v];
  if (value.kind != ValueKind::kWrite || value.from != kNone) return kNone;
  const RegAccess& write = flow.accesses.items[value.where];
  if (write.operand != 0 || write.element != 0) return kNone;
  return flow.accesses.instruction_of[value.where];
}

}  // namespace pitot::analysis
