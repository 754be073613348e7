// Trip counts from counters and the ranges of what they start from, grow by and are compared with.
#include "analysis/trip_counts.h"

#include <algorithm>

#include "analysis/trip_arithmetic.h"

namespace pitot::analysis {
namespace {

using ptx::Mnemonic;
using ptx::OperandKind;

constexpr size_t kMaxValues = 64;

class Counter {
 public:
  Counter(const FlowFacts& flow, const KnownValues& known) : flow_(flow), ranges_(flow, known) {}

  TripCount find(LoopId l) {
    TripCount best;
    unsigned exits = 0;
    for (BlockId b : flow_.loops.blocks_of(l)) {
      if (loop_is_left(flow_, l, b)) ++exits;
      if (flow_.loops.loop_of[b] != l || !flow_.cfg.blocks[b].conditional) continue;
      const ExitTest test = exit_test(flow_, l, b);
      TripCount t;
      t.waits = test.waits;
      t.counter = test.counter;
      if (t.counter.test != kNone) count(t);
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
  void count(TripCount& out) {
    const LoopCounter& c = out.counter;
    auto range = [&](ValueId v, int64_t offset) {
      const ScalarRange base = v == kNone ? ScalarRange::constant(0) : ranges_.of(v);
      return shifted(base, offset, c.width);
    };
    const ScalarRange bound = range(c.bound, c.bound_offset);
    const ScalarRange step = range(c.step_value, c.step);
    ScalarRange start = range(c.start, c.start_offset);
    if (c.stepped && c.shift == 0) {
      const ScalarRange one = range(c.step_value, 0);
      start = fitted({start.low + one.low, start.high + one.high}, c.width);
    }
    const TripBounds t = c.shift != 0 ? first_failure_shifted(c, start, bound)
                                      : first_failure(c, start, bound, step);
    const uint64_t more = c.at_bottom ? 1 : 0;
    auto plus = [&](uint64_t v) { return v > UINT64_MAX - more ? UINT64_MAX : v + more; };
    out.least = plus(t.least);
    out.most = plus(t.most);
    if (t.exact && t.least == t.most) out.trips = out.least;
    out.step = c.step_value == kNone && c.shift == 0 ? signed_of(c.step, c.width) : 0;
    for (ValueId v : {c.bound, c.start, c.step_value})
      if (out.parameter == kNoId && v != kNone) out.parameter = parameter_behind(v);
  }

  // The first parameter found among what a value was computed from.
  ptx::SymbolId parameter_behind(ValueId v) const {
    std::vector<ValueId> work{v};
    for (size_t k = 0; k < work.size() && k < kMaxValues; ++k) {
      const uint32_t i = only_writer(flow_, work[k]);
      if (i == kNone) continue;
      const ptx::Opcode& op = *flow_.instruction(i).opcode;
      if (op.mnemonic == Mnemonic::kLd) {
        const auto operands = flow_.module->operands_of(flow_.instruction(i));
        if (ptx::base_space(op.space) == ptx::Space::kParam && operands.size() > 1 &&
            operands[1].base_kind == OperandKind::kSymbol)
          return operands[1].id;
        continue;
      }
      for (uint32_t n = flow_.accesses.first[i]; n < flow_.accesses.first[i + 1]; ++n)
        if (!flow_.accesses.items[n].write && flow_.values.value_of[n] != kNone &&
            std::find(work.begin(), work.end(), flow_.values.value_of[n]) == work.end())
          work.push_back(flow_.values.value_of[n]);
    }
    return kNoId;
  }

  const FlowFacts& flow_;
  ScalarRanges ranges_;
};

}  // namespace

std::vector<TripCount> trip_counts(const FlowFacts& flow, const KnownValues& known) {
  std::vector<TripCount> out(flow.loops.loops.size());
  if (flow.too_complex) return out;
  Counter counter(flow, known);
  for (LoopId l = 0; l < out.size(); ++l)
    if (!flow.loops.loops[l].irreducible) out[l] = counter.find(l);
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
