// Affine loop counters over def-use chains.
#include "analysis/trip_counts.h"

#include <algorithm>

#include "analysis/trip_arithmetic.h"

namespace pitot::analysis {
namespace {

using ptx::Mnemonic;
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

class Finder {
 public:
  Finder(const FlowFacts& flow, const KnownValues& known) : flow_(flow), ranges_(flow, known) {}

  TripCount find(LoopId l) {
    TripCount best;
    unsigned exits = 0;
    for (BlockId b : flow_.loops.blocks_of(l)) {
      if (leaves(l, b)) ++exits;
      if (flow_.loops.loop_of[b] != l || !flow_.cfg.blocks[b].conditional) continue;
      TripCount t = by_exit(l, b);
      best.waits = best.waits || t.waits;
      // Several tests on every trip: the first to fail ends the loop.
      best.most = std::min(best.most, t.most);
      if (t.counter.test == kNone) continue;
      const bool better = t.trips ? !best.trips || *t.trips < *best.trips
                                  : !best.trips && best.counter.test == kNone;
      if (!better) continue;
      t.waits = best.waits;
      t.most = best.most;
      best = t;
    }
    best.may_leave_early = exits > 1 || best.may_leave_early;
    best.waits = best.waits && best.counter.test == kNone;
    if (best.may_leave_early)
      best.least = std::min<uint64_t>(best.least, best.counter.at_bottom ? 1 : 0);
    return best;
  }

 private:
  const ptx::Operand* operand(uint32_t i, size_t k) const {
    auto ops = flow_.module->operands_of(flow_.instruction(i));
    return k < ops.size() ? &ops[k] : nullptr;
  }
  static Affine unknown() { return {kNone, 0, false}; }

  bool leaves(LoopId l, BlockId b) const {
    if (flow_.cfg.blocks[b].leaves != 0) return true;
    for (BlockId s : flow_.cfg.successors(b))
      if (!flow_.loops.contains(l, s)) return true;
    return false;
  }

  // The constant or value that operand k of instruction i is.
  Affine read(uint32_t i, uint8_t k) const {
    const ptx::Operand* o = operand(i, k);
    if (o == nullptr) return unknown();
    if (o->kind == OperandKind::kInteger) return {kNone, o->value};
    if (o->kind != OperandKind::kRegister || o->selector != ptx::Selector::kNone) return unknown();
    return follow(flow_.read(i, k));
  }

  // The instruction that wrote a value for sure, kNone if there is none.
  uint32_t writer(ValueId v) const {
    const Value& value = flow_.values.values[v];
    if (value.kind != ValueKind::kWrite || value.from != kNone) return kNone;
    const RegAccess& write = flow_.accesses.items[value.where];
    if (write.operand != 0 || write.element != 0) return kNone;
    return flow_.accesses.instruction_of[value.where];
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

  TripCount by_exit(LoopId l, BlockId b) {
    TripCount out;
    const Cfg& cfg = flow_.cfg;
    BlockId stays = kNone;
    bool one = true;
    for (BlockId s : cfg.successors(b)) {
      if (!flow_.loops.contains(l, s)) continue;
      one = stays == kNone;
      stays = s;
    }
    if (!leaves(l, b) || stays == kNone || !one) return out;
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
    ValueId added = kNone;
    if (!as_counter(l, x, added)) {
      std::swap(x, n);
      c.order = mirrored(c.order);
      if (!as_counter(l, x, added)) return out;
    }
    if (!n.known || !invariant(l, n.base) || !steps(l, x.base, c)) return out;
    if (added != kNone && added != c.step_value) return out;
    c.stepped = added != kNone;
    c.start_offset = wrap_add(c.start_offset, x.offset);
    c.bound = n.base;
    c.bound_offset = n.offset;
    // A test at the top runs once more than the body that follows it.
    const BlockId header = flow_.loops.loops[l].header;
    c.at_bottom = b != header || stays == header;
    out.counter = c;
    count(out);
    return out;
  }

  void count(TripCount& out) {
    const LoopCounter& c = out.counter;
    auto range = [&](ValueId v, int64_t offset) {
      const ScalarRange base = v == kNone ? ScalarRange::constant(0) : ranges_.of(v);
      return shifted(base, offset, c.width);
    };
    const ScalarRange bound = range(c.bound, c.bound_offset);
    const ScalarRange step = range(c.step_value, c.step);
    ScalarRange start = range(c.start, c.start_offset);
    if (c.stepped) {
      const ScalarRange one = range(c.step_value, 0);
      start = fitted({start.low + one.low, start.high + one.high}, c.width);
    }
    const TripBounds t = first_failure(c, start, bound, step);
    const uint64_t more = c.at_bottom ? 1 : 0;
    auto plus = [&](uint64_t v) { return v > UINT64_MAX - more ? UINT64_MAX : v + more; };
    out.least = plus(t.least);
    out.most = plus(t.most);
    if (t.exact && t.least == t.most) out.trips = out.least;
    out.step = c.step_value == kNone ? signed_of(c.step, c.width) : 0;
    for (ValueId v : {c.bound, c.start, c.step_value})
      if (out.parameter == kNoId && v != kNone) out.parameter = parameter_behind(v);
  }

  // The first parameter found among what a value was computed from.
  ptx::SymbolId parameter_behind(ValueId v) const {
    std::vector<ValueId> work{v};
    for (size_t k = 0; k < work.size() && k < kChase; ++k) {
      const uint32_t i = writer(work[k]);
      if (i == kNone) continue;
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      const ptx::Operand* a = operand(i, 1);
      if (op.mnemonic == Mnemonic::kLd) {
        if (ptx::base_space(op.space) == ptx::Space::kParam && a != nullptr &&
            a->base_kind == OperandKind::kSymbol)
          return a->id;
        continue;
      }
      for (uint32_t n = flow_.accesses.first[i]; n < flow_.accesses.first[i + 1]; ++n)
        if (!flow_.accesses.items[n].write && flow_.values.value_of[n] != kNone &&
            std::find(work.begin(), work.end(), flow_.values.value_of[n]) == work.end())
          work.push_back(flow_.values.value_of[n]);
    }
    return kNoId;
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
  ScalarRanges ranges_;
};

}  // namespace

std::vector<TripCount> trip_counts(const FlowFacts& flow, const KnownValues& known) {
  std::vector<TripCount> out(flow.loops.loops.size());
  Finder finder(flow, known);
  for (LoopId l = 0; l < out.size(); ++l)
    if (!flow.loops.loops[l].irreducible) out[l] = finder.find(l);
  return out;
}

std::vector<double> expected_trips(std::span<const TripCount> trips, double default_trips) {
  std::vector<double> out;
  for (const TripCount& t : trips) {
    if (t.trips) {
      out.push_back(static_cast<double>(*t.trips));
    } else if (t.waits) {
      out.push_back(1);
    } else {
      out.push_back(std::min(static_cast<double>(t.most),
                             std::max(static_cast<double>(t.least), default_trips)));
    }
  }
  return out;
}

std::vector<double> block_weights(const FlowFacts& flow, const std::vector<TripCount>& trips,
                                  double default_trips) {
  std::vector<double> weight = expected_trips(trips, default_trips);
  for (LoopId l = 0; l < trips.size(); ++l) {  // outer loops come first
    const LoopId parent = flow.loops.loops[l].parent;
    weight[l] = std::min((parent == kNone ? 1.0 : weight[parent]) * weight[l], 1e12);
  }
  std::vector<double> out(flow.cfg.size(), 0);
  for (BlockId b : flow.cfg.order)
    out[b] = flow.loops.loop_of[b] == kNone ? 1.0 : weight[flow.loops.loop_of[b]];
  return out;
}

}  // namespace pitot::analysis
