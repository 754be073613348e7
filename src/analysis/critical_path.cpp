#include "analysis/critical_path.h"

#include <utility>

namespace pitot::analysis {

namespace {

PathLength latency_of(const ptx::Opcode& op) { return {std::max<double>(1, op.latency), 1}; }

// Deep nests would leave the range of numbers; nothing that long is of interest.
constexpr double kLongest = 1e15;
PathLength capped(const PathLength& p) {
  return {std::min(p.cycles, kLongest), std::min(p.instructions, kLongest)};
}

// Filling moves each start to its end; this undoes it.
void shift_starts(std::vector<uint32_t>& first) {
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first[0] = 0;
}

}  // namespace

// Lays loops out from the inside; each then stands as one step of its surroundings.
class PathLayout {
 public:
  PathLayout(CriticalPath& out, const FlowFacts& facts, const DepGraph& graph,
             std::span<const double> trips)
      : o_(out), facts_(facts), cfg_(facts.cfg), graph_(graph), trips_(trips) {
    o_.ready_.resize(facts.values.values.size());
    o_.stamp_.assign(facts.values.values.size(), 0);
    o_.start_.assign(facts.instruction_count(), {});
    o_.entry_.assign(cfg_.size(), {});
    o_.end_.assign(cfg_.size(), {});
    o_.cost_.assign(loop_count(), {});
    o_.per_trip.assign(loop_count(), {});
    list_phis();
    list_members();
  }

  void run() {
    for (BlockId b = 0; b < cfg_.size(); ++b) o_.blocks[b] = alone(b);
    for (LoopId l = loop_count(); l-- > 0;) {
      PathLength first;
      if (facts_.loops.is_innermost(l)) {
        first = innermost(l);
      } else {
        ++epoch_;
        first = pass(l);
        o_.per_trip[l] = first;
      }
      o_.cost_[l] = capped(first + o_.per_trip[l] * std::max(0.0, trips_[l] - 1));
    }
    ++epoch_;
    o_.function = pass(kNone);
  }

 private:
  uint32_t loop_count() const { return static_cast<uint32_t>(facts_.loops.loops.size()); }

  void list_phis() {
    const auto& values = facts_.values.values;
    o_.phi_first_.assign(cfg_.size() + 1, 0);
    for (const Value& v : values)
      if (v.kind == ValueKind::kPhi) ++o_.phi_first_[v.where + 1];
    for (size_t b = 1; b < o_.phi_first_.size(); ++b) o_.phi_first_[b] += o_.phi_first_[b - 1];
    o_.phis_.resize(o_.phi_first_.back());
    for (ValueId v = 0; v < values.size(); ++v)
      if (values[v].kind == ValueKind::kPhi) o_.phis_[o_.phi_first_[values[v].where]++] = v;
    shift_starts(o_.phi_first_);
  }
  std::span<const ValueId> phis_of(BlockId b) const {
    return std::span(o_.phis_).subspan(o_.phi_first_[b], o_.phi_first_[b + 1] - o_.phi_first_[b]);
  }

  // Of each loop, and at the end of the function outside all, in reverse postorder.
  void list_members() {
    const LoopForest& loops = facts_.loops;
    auto each = [&](auto&& put) {
      for (BlockId b : cfg_.order) {
        const LoopId l = loops.loop_of[b];
        put(l == kNone ? loop_count() : l, b);
        if (l == kNone || loops.loops[l].header != b) continue;
        const LoopId up = loops.loops[l].parent;
        put(up == kNone ? loop_count() : up, b);
      }
    };
    o_.member_first_.assign(loop_count() + 2, 0);
    each([&](uint32_t l, BlockId) { ++o_.member_first_[l + 1]; });
    for (size_t k = 1; k < o_.member_first_.size(); ++k)
      o_.member_first_[k] += o_.member_first_[k - 1];
    o_.members_.resize(o_.member_first_.back());
    each([&](uint32_t l, BlockId b) { o_.members_[o_.member_first_[l]++] = b; });
    shift_starts(o_.member_first_);
  }
  std::span<const BlockId> members_of(LoopId l) const {
    const uint32_t k = l == kNone ? loop_count() : l;
    return std::span(o_.members_)
        .subspan(o_.member_first_[k], o_.member_first_[k + 1] - o_.member_first_[k]);
  }

  PathLength ready(ValueId v) const {
    return v != kNone && o_.stamp_[v] == epoch_ ? o_.ready_[v] : PathLength{};
  }
  void set_ready(ValueId v, const PathLength& at) {
    o_.ready_[v] = at;
    o_.stamp_[v] = epoch_;
  }

  // The longest chain of a block by itself.
  PathLength alone(BlockId b) {
    PathLength longest;
    for (uint32_t i = cfg_.blocks[b].first; i < cfg_.blocks[b].last; ++i) {
      PathLength at;
      for (const Dependence& d : graph_.of(i))
        if (d.is_true())
          at.raise_to(o_.start_[d.from] + PathLength{std::max(1.0, 1.0 * d.latency), 1});
      o_.start_[i] = at;
      longest.raise_to(at + latency_of(*facts_.instruction(i).opcode));
    }
    return longest;
  }

  // Runs block b from entry_[b]; sets end_[b]. When its latest result is there.
  PathLength run_block(BlockId b) {
    const Block& block = cfg_.blocks[b];
    PathLength finish = o_.entry_[b];
    for (uint32_t i = block.first; i < block.last; ++i) {
      PathLength at = o_.entry_[b];
      for (const Dependence& d : graph_.of(i))
        if (d.kind == DependenceKind::kMemory)
          at.raise_to(o_.start_[d.from] + PathLength{std::max(1.0, 1.0 * d.latency), 1});
      const uint32_t first = facts_.accesses.first[i], last = facts_.accesses.first[i + 1];
      for (uint32_t k = first; k < last; ++k) {
        const ValueId v = facts_.values.value_of[k];
        // A write that may keep the old value needs it.
        if (v != kNone)
          at.raise_to(ready(facts_.accesses.items[k].write ? facts_.values.values[v].from : v));
      }
      o_.start_[i] = at;
      const PathLength done = at + latency_of(*facts_.instruction(i).opcode);
      for (uint32_t k = first; k < last; ++k)
        if (facts_.accesses.items[k].write && facts_.values.value_of[k] != kNone)
          set_ready(facts_.values.value_of[k], done);
      finish.raise_to(done);
    }
    o_.end_[b] = o_.entry_[b];
    constexpr uint32_t kEnds = ptx::kBranch | ptx::kRet | ptx::kExit | ptx::kTrap;
    const ptx::Opcode& op = *facts_.instruction(block.last - 1).opcode;
    if ((op.effects & kEnds) != 0) o_.end_[b] = o_.start_[block.last - 1] + latency_of(op);
    return finish;
  }

  // One way through a loop (or the function) from time 0, inner loops as single steps.
  PathLength pass(LoopId l) {
    PathLength finish;
    for (BlockId b : members_of(l)) {
      const bool is_header = l != kNone && facts_.loops.loops[l].header == b;
      PathLength at;
      for (BlockId p : cfg_.predecessors(b))
        if (!is_header && comes_before(p, b, l)) at.raise_to(o_.end_[p]);
      if (facts_.loops.loop_of[b] == l) {
        o_.entry_[b] = at;
        if (!is_header) meet(b, l);
        finish.raise_to(run_block(b));
      } else {
        at = at + o_.cost_[facts_.loops.loop_of[b]];
        finish.raise_to(at);
        leave_inner(facts_.loops.loop_of[b], at);
      }
    }
    return finish;
  }

  bool comes_before(BlockId p, BlockId b, LoopId l) const {
    return cfg_.blocks[p].reachable && cfg_.order_of[p] < cfg_.order_of[b] &&
           (l == kNone || facts_.loops.contains(l, p));
  }

  void meet(BlockId b, LoopId l) {
    const auto in = cfg_.predecessors(b);
    for (ValueId v : phis_of(b)) {
      const auto operands = facts_.values.operands_of_phi(cfg_, v);
      PathLength at;
      for (size_t k = 0; k < in.size(); ++k)
        if (comes_before(in[k], b, l)) at.raise_to(ready(operands[k]));
      set_ready(v, at);
    }
  }

  // All that an inner loop makes is there when it ends.
  void leave_inner(LoopId inner, const PathLength& at) {
    constexpr uint32_t kMaxDepth = 32;  // deeper nests would make this quadratic
    for (BlockId b : facts_.loops.blocks_of(inner)) {
      o_.end_[b] = at;
      if (facts_.loops.loops[inner].depth > kMaxDepth) continue;
      for (ValueId v : phis_of(b)) set_ready(v, at);
      for (uint32_t k = facts_.accesses.first[cfg_.blocks[b].first];
           k < facts_.accesses.first[cfg_.blocks[b].last]; ++k)
        if (facts_.accesses.items[k].write && facts_.values.value_of[k] != kNone)
          set_ready(facts_.values.value_of[k], at);
    }
  }

  // A loop without inner ones, a few trips in a row. The cost of the first; sets per_trip.
  PathLength innermost(LoopId l) {
    constexpr int kTrips = 3;
    ++epoch_;
    const BlockId header = facts_.loops.loops[l].header;
    const auto phis = phis_of(header);
    const auto in = cfg_.predecessors(header);
    o_.phi_.assign(phis.size(), {});
    PathLength first, start;
    for (int trip = 0; trip < kTrips; ++trip) {
      o_.entry_[header] = start;
      PathLength finish;
      for (BlockId b : members_of(l)) {
        if (b != header) {
          PathLength at;
          for (BlockId p : cfg_.predecessors(b))
            if (comes_before(p, b, l)) at.raise_to(o_.end_[p]);
          o_.entry_[b] = at;
          meet(b, l);
        }
        finish.raise_to(run_block(b));
      }
      if (trip == 0) first = finish;
      PathLength next, step;
      for (BlockId p : in)
        if (facts_.loops.contains(l, p)) next.raise_to(o_.end_[p]);
      step = next - start;
      // What comes round: all operands first, for phis may feed each other.
      for (size_t n = 0; n < phis.size(); ++n) {
        const auto operands = facts_.values.operands_of_phi(cfg_, phis[n]);
        PathLength at;
        for (size_t k = 0; k < in.size(); ++k)
          if (facts_.loops.contains(l, in[k])) at.raise_to(ready(operands[k]));
        step.raise_to(at - o_.phi_[n]);
        o_.phi_[n] = at;
      }
      for (size_t n = 0; n < phis.size(); ++n) set_ready(phis[n], o_.phi_[n]);
      o_.per_trip[l] = step;
      start = next;
    }
    return first;
  }

  CriticalPath& o_;
  const FlowFacts& facts_;
  const Cfg& cfg_;
  const DepGraph& graph_;
  std::span<const double> trips_;
  uint32_t epoch_ = 0;
};

void CriticalPath::build(const FlowFacts& facts, const DepGraph& graph,
                         std::span<const double> trips) {
  blocks.assign(facts.cfg.size(), {});
  per_trip.clear();
  function = {};
  executed = 0;
  if (facts.cfg.size() == 0) return;
  PathLayout(*this, facts, graph, trips).run();
  // Outer loops come first, so a loop's product is there before its inner loops need it.
  std::vector<double> times(facts.loops.loops.size(), 1);
  for (LoopId l = 0; l < times.size(); ++l) {
    const LoopId up = facts.loops.loops[l].parent;
    times[l] = std::min(kLongest, trips[l] * (up == kNone ? 1 : times[up]));
  }
  for (BlockId b : facts.cfg.order) {
    const LoopId l = facts.loops.loop_of[b];
    executed += facts.cfg.blocks[b].size() * (l == kNone ? 1 : times[l]);
  }
}

}  // namespace pitot::analysis
