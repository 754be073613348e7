#include "profile/steady_loops.h"

#include <algorithm>
#include <optional>

#include "analysis/flow_facts.h"
#include "analysis/int_ops.h"
#include "analysis/loop_counter.h"

namespace pitot::profile {
namespace {

using analysis::BlockId;
using analysis::kNone;
using analysis::LoopId;
using analysis::Role;
using analysis::ValueId;
using analysis::ValueKind;
using emulator::Flow;

class SteadyLoopFinder {
 public:
  SteadyLoopFinder(const emulator::Program& program, const emulator::FunctionCode& code,
                   const ptx::Function& f, analysis::Workspace& ws)
      : program_(program), code_(code) {
    flow_.build(*program.module, f, ws);
  }

  void run(std::unordered_map<uint32_t, SteadyLoop>& out) {
    if (flow_.too_complex) return;
    mark_relevant();
    for (LoopId l = 0; l < flow_.loops.loops.size(); ++l) {
      const BlockId place = place_of(l);
      if (place == kNone) continue;
      if (auto loop = look_at(l, place))
        out.emplace(code_.first + flow_.cfg.blocks[place].first, std::move(*loop));
    }
  }

 private:
  const emulator::Op& op(uint32_t i) const { return program_.ops[code_.first + i]; }

  // Copies of which an operand says how much is read, nothing where a mask is off.
  bool is_async(uint32_t i) const { return flow_.instruction(i).opcode->has(ptx::kAsync); }

  // Values that an address, a guard, the size of a copy or an integer comparison depends on,
  // through registers.
  void mark_relevant() {
    relevant_.assign(flow_.values.values.size(), false);
    std::vector<ValueId> work;
    auto mark = [&](ValueId v) {
      if (v == kNone || relevant_[v]) return;
      relevant_[v] = true;
      work.push_back(v);
    };
    for (uint32_t item = 0; item < flow_.accesses.items.size(); ++item) {
      const analysis::RegAccess& a = flow_.accesses.items[item];
      if (!a.write && (a.role == Role::kAddress || a.role == Role::kGuard ||
                       is_async(flow_.accesses.instruction_of[item])))
        mark(flow_.values.value_of[item]);
    }
    while (!work.empty()) {
      const ValueId v = work.back();
      work.pop_back();
      const analysis::Value& value = flow_.values.values[v];
      if (value.kind == ValueKind::kPhi) {
        for (ValueId from : flow_.values.operands_of_phi(flow_.cfg, v)) mark(from);
        continue;
      }
      if (value.kind != ValueKind::kWrite) continue;
      mark(value.from);
      const uint32_t writer = flow_.values.instruction_of(flow_.accesses, v);
      if (flow_.instruction(writer).opcode->has(ptx::kLoad)) continue;  // its address is marked
      for (uint32_t i = flow_.accesses.first[writer]; i < flow_.accesses.first[writer + 1]; ++i)
        if (!flow_.accesses.items[i].write) mark(flow_.values.value_of[i]);
    }
  }

  std::optional<emulator::Slot> slot_of(uint32_t item) const {
    const analysis::RegAccess& a = flow_.accesses.items[item];
    if (a.operand == analysis::kImplicitOperand) return std::nullopt;
    const auto slots = program_.operand(op(flow_.accesses.instruction_of[item]), a.operand);
    if (a.element >= slots.size()) return std::nullopt;
    return slots[a.element];
  }

  std::optional<emulator::Slot> slot_of_register(analysis::RegId reg) const {
    for (uint32_t item = 0; item < flow_.accesses.items.size(); ++item)
      if (flow_.accesses.items[item].reg == reg)
        if (auto slot = slot_of(item)) return slot;
    return std::nullopt;
  }

  // A block that every trip comes to once, by a branch backwards in the text; kNone: there is none.
  BlockId place_of(LoopId l) const {
    if (flow_.loops.loops[l].irreducible) return kNone;
    const BlockId header = flow_.loops.loops[l].header;
    auto by_backward_branch = [&](BlockId b) {
      for (BlockId p : flow_.cfg.predecessors(b))
        if (flow_.loops.contains(l, p) && flow_.cfg.blocks[p].last > flow_.cfg.blocks[b].first)
          return true;
      return false;
    };
    auto on_every_trip = [&](BlockId b) {
      for (BlockId p : flow_.cfg.predecessors(header))
        if (flow_.loops.contains(l, p) && !flow_.dom.dominates(b, p)) return false;
      return true;
    };
    if (by_backward_branch(header)) return header;
    BlockId found = kNone;
    for (BlockId b : flow_.loops.blocks_of(l))
      if (flow_.loops.loop_of[b] == l && b < found && by_backward_branch(b) && on_every_trip(b))
        found = b;
    return found;
  }

  void add_ranges(LoopId l, SteadyLoop& out) const {
    std::vector<BlockId> blocks(flow_.loops.blocks_of(l).begin(), flow_.loops.blocks_of(l).end());
    std::sort(blocks.begin(), blocks.end());
    for (BlockId b : blocks) {
      const uint32_t first = code_.first + flow_.cfg.blocks[b].first,
                     last = code_.first + flow_.cfg.blocks[b].last;
      if (!out.ranges.empty() && out.ranges.back().second == first)
        out.ranges.back().second = last;
      else
        out.ranges.emplace_back(first, last);
    }
  }

  // The values that a trip hands on at the place: those that come together at the header, and where
  // the place is another block, also what the trip has made before it and needs behind it.
  std::vector<ValueId> carried_at(LoopId l, BlockId place) const {
    std::vector<ValueId> out;
    const BlockId header = flow_.loops.loops[l].header;
    for (ValueId v = 0; v < flow_.values.values.size(); ++v) {
      const analysis::Value& value = flow_.values.values[v];
      if (!relevant_[v] || (value.kind != ValueKind::kWrite && value.kind != ValueKind::kPhi))
        continue;
      const bool handed_on = value.kind == ValueKind::kPhi && value.where == header;
      const bool made = place != header && flow_.loops.contains(l, flow_.block_of_value(v)) &&
                        flow_.liveness.is_live_in(place, value.reg);
      if (handed_on || made) out.push_back(v);
    }
    return out;
  }

  std::optional<SteadyLoop> look_at(LoopId l, BlockId place) const {
    SteadyLoop out;
    add_ranges(l, out);
    bool direct = true, plain_branches = true;
    for (BlockId b : flow_.loops.blocks_of(l)) {
      const analysis::Block& block = flow_.cfg.blocks[b];
      const bool own = flow_.loops.loop_of[b] == l;
      for (uint32_t i = block.first; i < block.last; ++i) {
        if (!usable(i, out)) return std::nullopt;
        add_masks(i, out.tests);
      }
      const bool leaves = analysis::loop_is_left(flow_, l, b);
      if (!leaves && !(own && block.conditional)) continue;
      const uint32_t branch = block.last - 1;
      if (op(branch).flow != Flow::kBranch || op(branch).guard == 0) return std::nullopt;
      const ValueId guard = flow_.read(branch, analysis::kImplicitOperand);
      if (auto test = test_of(guard)) {
        test->exit = leaves;
        out.tests.push_back(*test);
      } else if (!leaves) {
        plain_branches = false;
      } else if (chosen_by_branches(guard, 0)) {
        direct = false;
      } else {
        return std::nullopt;
      }
    }
    if (!direct && !plain_branches) return std::nullopt;
    for (ValueId v : carried_at(l, place)) {
      const auto slot = slot_of_register(flow_.values.values[v].reg);
      if (!slot || slot->bits > 64) return std::nullopt;
      out.wraps |= !only_added_to(l, v);
      const bool there = std::any_of(out.carried.begin(), out.carried.end(),
                                     [&](const emulator::Slot& s) { return s.at == slot->at; });
      if (!there) out.carried.push_back(*slot);
    }
    if (out.tests.empty() || out.carried.empty()) return std::nullopt;
    return out;
  }

  // Whether a trip hands a register on with nothing but sums and copies.
  bool only_added_to(LoopId l, ValueId phi) const {
    std::vector<ValueId> work{phi};
    for (size_t k = 0; k < work.size(); ++k) {
      if (k > kMostSteps) return false;
      const analysis::Value& value = flow_.values.values[work[k]];
      auto follow = [&](ValueId v) {
        if (v != kNone && flow_.loops.contains(l, flow_.block_of_value(v)) &&
            std::find(work.begin(), work.end(), v) == work.end())
          work.push_back(v);
      };
      if (value.kind == ValueKind::kPhi) {
        for (ValueId from : flow_.values.operands_of_phi(flow_.cfg, work[k])) follow(from);
        continue;
      }
      if (value.kind != ValueKind::kWrite || value.from != kNone) return false;
      const uint32_t writer = flow_.values.instruction_of(flow_.accesses, work[k]);
      const auto kind = analysis::classify(*flow_.instruction(writer).opcode).op;
      if (kind != analysis::IntOp::kAdd && kind != analysis::IntOp::kSub &&
          kind != analysis::IntOp::kMov)
        return false;
      for (uint32_t i = flow_.accesses.first[writer]; i < flow_.accesses.first[writer + 1]; ++i)
        if (!flow_.accesses.items[i].write) follow(flow_.values.value_of[i]);
    }
    return true;
  }

  bool usable(uint32_t i, SteadyLoop& loop) const {
    switch (op(i).flow) {
      case Flow::kPlain:
      case Flow::kBranch:
      case Flow::kConvergent:
        return true;
      case Flow::kBarrier:
        loop.joint = true;
        return true;
      default:
        return false;
    }
  }

  // The comparisons that say whether an instruction that is no branch does anything.
  void add_masks(uint32_t i, std::vector<LoopTest>& tests) const {
    if (op(i).flow == Flow::kBranch) return;
    for (uint32_t a = flow_.accesses.first[i]; a < flow_.accesses.first[i + 1]; ++a) {
      const analysis::RegAccess& access = flow_.accesses.items[a];
      if (!access.write && (access.role == Role::kGuard || is_async(i)))
        add_comparisons(flow_.values.value_of[a], 0, tests);
    }
  }

  // Those that a predicate, or a choice between constants, is made of.
  void add_comparisons(ValueId v, unsigned depth, std::vector<LoopTest>& tests) const {
    if (v == kNone || depth > kDeepestMask || tests.size() >= kMostTests) return;
    if (auto test = test_of(v)) {
      const bool there = std::any_of(tests.begin(), tests.end(), [&](const LoopTest& t) {
        return t.left.slot.at == test->left.slot.at && t.right.slot.at == test->right.slot.at;
      });
      if (!there) tests.push_back(*test);
      return;
    }
    const uint32_t writer = analysis::only_writer(flow_, v);
    if (writer == kNone) return;
    switch (flow_.instruction(writer).opcode->mnemonic) {
      case ptx::Mnemonic::kSelp:
      case ptx::Mnemonic::kMov:
      case ptx::Mnemonic::kAnd:
      case ptx::Mnemonic::kOr:
      case ptx::Mnemonic::kNot:
      case ptx::Mnemonic::kXor:
        break;
      default:
        return;
    }
    for (uint32_t a = flow_.accesses.first[writer]; a < flow_.accesses.first[writer + 1]; ++a)
      if (!flow_.accesses.items[a].write)
        add_comparisons(flow_.values.value_of[a], depth + 1, tests);
  }

  // The comparison of integers that made a predicate.
  std::optional<LoopTest> test_of(ValueId guard) const {
    if (guard == kNone) return std::nullopt;
    const uint32_t test = analysis::only_writer(flow_, guard);
    if (test == kNone) return std::nullopt;
    const analysis::IntInstruction compare = analysis::classify(*flow_.instruction(test).opcode);
    if (compare.op != analysis::IntOp::kCompare ||
        compare.combine != analysis::IntInstruction::Combine::kNone)
      return std::nullopt;
    const auto left = program_.operand(op(test), 1), right = program_.operand(op(test), 2);
    if (left.size() != 1 || right.size() != 1 || left[0].bits == 1) return std::nullopt;
    return LoopTest{{left[0], compare.is_signed}, {right[0], compare.is_signed}, false};
  }

  // A predicate that is a constant, or a comparison of integers, on each way to it.
  bool chosen_by_branches(ValueId guard, unsigned depth) const {
    if (guard == kNone || depth > 4) return false;
    if (test_of(guard)) return true;
    const analysis::Value& value = flow_.values.values[guard];
    if (value.kind == ValueKind::kPhi) {
      for (ValueId from : flow_.values.operands_of_phi(flow_.cfg, guard))
        if (from == kNone || !chosen_by_branches(from, depth + 1)) return false;
      return true;
    }
    const uint32_t writer = analysis::only_writer(flow_, guard);
    if (writer == kNone || flow_.instruction(writer).opcode->mnemonic != ptx::Mnemonic::kMov)
      return false;
    for (uint32_t i = flow_.accesses.first[writer]; i < flow_.accesses.first[writer + 1]; ++i)
      if (!flow_.accesses.items[i].write) return false;
    return true;
  }

  static constexpr size_t kMostSteps = 64, kMostTests = 64;
  static constexpr unsigned kDeepestMask = 6;

  const emulator::Program& program_;
  const emulator::FunctionCode& code_;
  analysis::FlowFacts flow_;
  std::vector<bool> relevant_;
};

}  // namespace

SteadyLoops::SteadyLoops(const emulator::Program& program) {
  analysis::Workspace ws;
  for (size_t f = 0; f < program.functions.size(); ++f)
    if (program.module->functions[f].has_body && program.functions[f].count != 0)
      SteadyLoopFinder(program, program.functions[f], program.module->functions[f], ws).run(loops_);
}

}  // namespace pitot::profile
