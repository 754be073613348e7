// Optimistic iteration over the values of a function in reverse postorder; loops are repeated until
// nothing changes. Phis take the level of the branches that decide which way a thread came.
#include "analysis/uniformity.h"

#include <algorithm>

#include "analysis/instruction_facts.h"
#include "analysis/transfer.h"
#include "ptx/special_register.h"

namespace pitot::analysis {

using ptx::Operand;
using ptx::OperandKind;

namespace {

// After this many rounds a phi that still changes keeps no known bits, which ends the iteration.
constexpr int kRoundsBeforeWidening = 6;

unsigned register_width(const FlowFacts& flow, RegId reg) {
  if (reg >= flow.function->registers.size()) return 1;  // the carry flag
  const ptx::Register& r = flow.function->registers[reg];
  return r.vector > 1 ? 64 : value_width(r.type);
}

// Which branches decide the edge by which a block is entered, for blocks where values meet.
class Deciders {
 public:
  explicit Deciders(const FlowFacts& flow) : flow_(flow) {}

  void build(const std::vector<uint32_t>& has_phi) {
    budget_ = 64 * size_t{flow_.cfg.size()} + 4096;
    seen_.assign(flow_.cfg.size(), 0);
    first_.reserve(flow_.cfg.size() + 1);
    for (BlockId b = 0; b < flow_.cfg.size(); ++b) {
      first_.push_back(static_cast<uint32_t>(items_.size()));
      if (has_phi[b] != 0) collect(b);
    }
    first_.push_back(static_cast<uint32_t>(items_.size()));
  }
  std::span<const uint32_t> of(BlockId b) const {
    return std::span(items_).subspan(first_[b], first_[b + 1] - first_[b]);
  }
  // The list of this block could not be had within the budget: any branch may decide.
  bool unknown(BlockId b) const { return !of(b).empty() && of(b)[0] == kNone; }

 private:
  void collect(BlockId b) {
    const Cfg& cfg = flow_.cfg;
    LoopId loop = flow_.loops.loop_of[b];
    for (LoopId l = loop; l != kNone; l = flow_.loops.loops[l].parent) {
      if (flow_.loops.loops[l].irreducible) {
        items_.push_back(kNone);
        return;
      }
    }
    uint32_t back = 0, entry = 0;
    for (BlockId p : cfg.predecessors(b))
      if (cfg.blocks[p].reachable) ++(flow_.dom.dominates(b, p) ? back : entry);
    size_t begin = items_.size();
    if (entry > 1) walk(b, false);
    if (back > 1) walk(b, true);
    if (over_budget_) {
      items_.resize(begin);
      items_.push_back(kNone);
    }
  }

  // Blocks from which `b` is reached through its entering (or its back) edges without passing the
  // block that decides first; those of them whose branch is not joined again before `b`.
  void walk(BlockId b, bool back) {
    const Cfg& cfg = flow_.cfg;
    BlockId stop = back ? b : flow_.dom.idom[b];
    ++mark_;
    region_.clear();
    stack_.clear();
    auto visit = [&](BlockId x) {
      if (seen_[x] == mark_) return;
      seen_[x] = mark_;
      region_.push_back(x);
      if (x != stop) stack_.push_back(x);
    };
    for (BlockId p : cfg.predecessors(b))
      if (cfg.blocks[p].reachable && flow_.dom.dominates(b, p) == back) visit(p);
    while (!stack_.empty() && !over_budget_) {
      BlockId x = stack_.back();
      stack_.pop_back();
      for (BlockId p : cfg.predecessors(x))
        if (cfg.blocks[p].reachable) visit(p);
      if (budget_ < region_.size()) over_budget_ = true;
    }
    budget_ -= std::min(budget_, region_.size());
    if (over_budget_) return;
    for (BlockId x : region_) {
      if (!cfg.blocks[x].conditional || cfg.successors(x).size() < 2) continue;
      uint32_t y = flow_.post.contains(x) ? flow_.post.idom[x] : kNone;
      bool rejoined = y != kNone && y < cfg.size() && y != b && seen_[y] == mark_ && y != stop &&
                      cfg.order_of[x] < cfg.order_of[y] &&
                      (back || cfg.order_of[y] < cfg.order_of[b]);
      if (!rejoined) items_.push_back(x);
    }
  }

  const FlowFacts& flow_;
  std::vector<uint32_t> seen_, first_, items_, stack_, region_;
  uint32_t mark_ = 0;
  size_t budget_ = 0;
  bool over_budget_ = false;
};

class UniformityBuilder {
 public:
  UniformityBuilder(const FlowFacts& flow, Uniformity& out, Workspace& ws)
      : flow_(flow), out_(out), deciders_(flow), phi_first_(ws.borrow()), phis_(ws.borrow()) {}

  void run() {
    const size_t blocks = flow_.cfg.size();
    out_.facts.assign(flow_.values.values.size(), {Bits::bottom(), Scope::kGrid});
    out_.branch.assign(blocks, Scope::kGrid);
    out_.context.assign(blocks, Scope::kGrid);
    out_.loop_exit.assign(flow_.loops.loops.size(), Scope::kGrid);
    out_.loop_step.assign(flow_.loops.loops.size(), Scope::kGrid);
    changed_in_.assign(flow_.values.values.size(), 0);
    enter_loops();
    enter_values();
    for (round_ = 0;; ++round_) {
      all_again_ = round_ == 0 || steps_changed_;
      leaving_again_ = exits_changed_;
      exits_changed_ = steps_changed_ = false;
      stamp_ = round_;
      for (BlockId b : flow_.cfg.order) visit_block(b);
      // Without a loop one round in this order is all. Else another is needed if what comes back
      // over the back edges, or how lanes leave a loop, is not what this round began with.
      if (flow_.loops.loops.empty()) break;
      phi_changed_ = false;
      stamp_ = round_ + 1;  // for the next round
      for (BlockId b : recheck_) visit_phis(b);
      if (!phi_changed_ && !exits_changed_ && !steps_changed_) break;
    }
    contexts();
  }

 private:
  void enter_loops() {
    several_back_edges_.assign(flow_.loops.loops.size(), 0);
    for (LoopId l = 0; l < flow_.loops.loops.size(); ++l) {
      const Loop& loop = flow_.loops.loops[l];
      if (loop.irreducible) out_.loop_step[l] = Scope::kVarying;
      uint32_t back = 0;
      for (BlockId p : flow_.cfg.predecessors(loop.header))
        if (flow_.cfg.blocks[p].reachable && flow_.dom.dominates(loop.header, p)) ++back;
      several_back_edges_[l] = back > 1 ? 1 : 0;
    }
  }

  // Groups the phis by block and sets what is known at entry.
  void enter_values() {
    const auto& values = flow_.values.values;
    phi_first_->assign(flow_.cfg.size() + 1, 0);
    for (ValueId v = 0; v < values.size(); ++v) {
      if (values[v].kind == ValueKind::kPhi) ++phi_first_[values[v].where + 1];
      if (values[v].kind == ValueKind::kParameter)
        out_.facts[v] = unknown_facts(register_width(flow_, values[v].reg), Scope::kVarying);
    }
    std::vector<uint32_t>& has_phi = *phis_;
    has_phi.assign(flow_.cfg.size(), 0);
    for (BlockId b = 0; b < flow_.cfg.size(); ++b) has_phi[b] = phi_first_[b + 1];
    deciders_.build(has_phi);
    for (BlockId b : flow_.cfg.order) {
      bool later = deciders_.unknown(b);
      for (BlockId p : flow_.cfg.predecessors(b))
        later = later ||
                (flow_.cfg.blocks[p].reachable && flow_.cfg.order_of[p] >= flow_.cfg.order_of[b]);
      if (later && has_phi[b] != 0) recheck_.push_back(b);
    }
    for (BlockId b = 0; b < flow_.cfg.size(); ++b) phi_first_[b + 1] += phi_first_[b];
    phis_->assign(phi_first_[flow_.cfg.size()], 0);
    for (ValueId v = 0; v < values.size(); ++v)
      if (values[v].kind == ValueKind::kPhi) phis_[phi_first_[values[v].where]++] = v;
    for (BlockId b = flow_.cfg.size(); b > 0; --b) phi_first_[b] = phi_first_[b - 1];
    phi_first_[0] = 0;
  }

  void set(ValueId v, const ValueFacts& f) {
    if (v == kNone) return;
    ValueFacts& old = out_.facts[v];
    if (old.bits == f.bits && old.scope == f.scope) return;
    old = f;
    changed_in_[v] = stamp_;
  }

  // Whether what the instruction makes may be other than in the round before. All that it reads is
  // made earlier in the order of blocks, in this round.
  bool is_stale(BlockId b, uint32_t i) const {
    if (all_again_ || steps_changed_) return true;
    const Accesses& acc = flow_.accesses;
    for (uint32_t k = acc.first[i]; k < acc.first[i + 1]; ++k) {
      ValueId v = flow_.values.value_of[k];
      if (v != kNone && acc.items[k].write) v = flow_.values.values[v].from;
      if (v == kNone) continue;
      if (changed_in_[v] == round_) return true;
      // What it is where it has left a loop hangs on how lanes leave that.
      if (!leaving_again_ && !exits_changed_) continue;
      const LoopId made_in = flow_.loops.loop_of[flow_.block_of_value(v)];
      if (made_in != kNone && made_in != flow_.loops.loop_of[b]) return true;
    }
    return false;
  }

  Scope deciding_level(BlockId b) {
    Scope level = Scope::kGrid;
    if (deciders_.unknown(b)) return worst_branch_;
    for (BlockId x : deciders_.of(b)) level = std::max(level, out_.branch[x]);
    return level;
  }

  void visit_phis(BlockId b) {
    if (uint32_t first = phi_first_[b], last = phi_first_[b + 1]; first != last) {
      Scope choice = deciding_level(b);
      for (uint32_t k = first; k < last; ++k) visit_phi(b, phis_[k], choice);
    }
  }

  void visit_block(BlockId b) {
    visit_phis(b);
    const Block& block = flow_.cfg.blocks[b];
    for (uint32_t i = block.first; i < block.last; ++i) visit_instruction(b, i);
    visit_branch(b);
  }

  void visit_phi(BlockId b, ValueId v, Scope choice) {
    ValueFacts f{Bits::bottom(), Scope::kGrid};
    ValueId same = kNone;
    bool single = true;
    for (ValueId o : flow_.values.operands_of_phi(flow_.cfg, v)) {
      if (o == kNone || o == v) continue;
      if (flow_.values.values[o].kind == ValueKind::kUndefined) continue;  // any value will do
      if (same != kNone && same != o) single = false;
      same = o;
      ValueFacts in = out_.facts[o].bits.is_bottom() ? out_.facts[o] : out_.at(flow_, o, b);
      f = merge(f, in, Scope::kGrid);
    }
    if (!single && !f.bits.is_bottom() && !f.bits.is_constant()) {
      if (choice == Scope::kVarying) {
        f.bits = f.bits.with_all_varying();
      } else {
        f.scope = std::max(f.scope, choice);
      }
    }
    const ValueFacts& old = out_.facts[v];
    if (!old.bits.is_bottom() && !f.bits.is_bottom()) {
      f.bits.vary |= old.bits.vary;  // never back up the lattice
      f.bits.zero &= old.bits.zero;
      f.bits.one &= old.bits.one;
      f.bits.vary &= ~f.bits.known();
      f.scope = std::max(f.scope, old.scope);
      if (round_ >= kRoundsBeforeWidening && !(f.bits == old.bits)) {
        bool varies = f.bits.varies();
        f.bits = Bits::uniform(register_width(flow_, flow_.values.values[v].reg));
        if (varies) f.bits = f.bits.with_all_varying();
      }
    }
    phi_changed_ = phi_changed_ || !(old.bits == f.bits) || old.scope != f.scope;
    set(v, f);
  }

  void visit_instruction(BlockId b, uint32_t i) {
    const Accesses& acc = flow_.accesses;
    uint32_t first_write = acc.first[i];
    while (first_write < acc.first[i + 1] && !acc.items[first_write].write) ++first_write;
    if (first_write == acc.first[i + 1] || !is_stale(b, i)) return;
    InstructionResult result = result_facts(flow_, out_, i);
    for (uint32_t k = first_write; k < acc.first[i + 1]; ++k) {
      const RegAccess& w = acc.items[k];
      ValueId v = flow_.values.value_of[k];
      if (!w.write || v == kNone) continue;
      unsigned width = register_width(flow_, w.reg);
      ValueFacts f = result.of(w, width);
      ValueId old = flow_.values.values[v].from;
      if ((w.conditional || w.partial) && old != kNone) {
        ValueFacts before = flow_.values.values[old].kind == ValueKind::kUndefined
                                ? unknown_facts(width, Scope::kVarying)
                                : out_.at(flow_, old, b);
        if (w.partial) {
          bool varies = f.bits.varies() || before.bits.varies();
          f.bits = varies ? Bits::varying(64) : Bits::uniform(64);
          f.scope = std::max(f.scope, before.scope);
        } else {
          Scope choice = out_.guard(flow_, i).level();
          f = merge(f, before, choice);
        }
      }
      set(v, f);
    }
  }

  void visit_branch(BlockId b) {
    const Block& block = flow_.cfg.blocks[b];
    if (!block.conditional || block.size() == 0) return;
    uint32_t decides = flow_.cfg.deciding_instruction(*flow_.module, *flow_.function, b);
    Scope level = Scope::kVarying;
    if (decides != kNone) {
      level = out_.guard(flow_, decides).level();
    } else {
      level = Scope::kGrid;  // brx: whatever the last instruction reads
      uint32_t last = block.last - 1;
      for (uint32_t k = flow_.accesses.first[last]; k < flow_.accesses.first[last + 1]; ++k) {
        ValueId v = flow_.values.value_of[k];
        if (!flow_.accesses.items[k].write && v != kNone)
          level = std::max(level, out_.at(flow_, v, b).level());
      }
    }
    if (level <= out_.branch[b]) return;
    out_.branch[b] = level;
    worst_branch_ = std::max(worst_branch_, level);
    for (LoopId l = flow_.loops.loop_of[b]; l != kNone; l = flow_.loops.loops[l].parent) {
      bool leaves = false;
      for (BlockId s : flow_.cfg.successors(b)) leaves = leaves || !flow_.loops.contains(l, s);
      if (leaves) raise(out_.loop_exit[l], level, exits_changed_);
      if (several_back_edges_[l] != 0) raise(out_.loop_step[l], level, steps_changed_);
    }
  }

  static void raise(Scope& at, Scope level, bool& changed) {
    if (at >= level) return;
    at = level;
    changed = true;
  }

  void contexts() {
    std::vector<Scope>& context = out_.context;
    bool again = true;
    while (again) {
      again = false;
      for (BlockId x : flow_.cfg.order) {
        Scope level = std::max(out_.branch[x], context[x]);
        if (level == Scope::kGrid) continue;
        for_each_dependent(flow_.cfg, flow_.post, x, [&](BlockId d) {
          if (context[d] >= level) return;
          context[d] = level;
          again = true;
        });
      }
    }
  }

  const FlowFacts& flow_;
  Uniformity& out_;
  Deciders deciders_;
  Workspace::Loan phi_first_, phis_;
  std::vector<uint8_t> several_back_edges_;  // by loop
  Scope worst_branch_ = Scope::kGrid;
  std::vector<BlockId> recheck_;  // phis that see something which comes later in the order
  std::vector<int> changed_in_;   // by value: the round
  bool phi_changed_ = false, exits_changed_ = false, steps_changed_ = false;
  bool all_again_ = true, leaving_again_ = false;  // of this round
  int round_ = 0, stamp_ = 0;
};

}  // namespace

void Uniformity::build(const FlowFacts& flow, const std::optional<BlockShape>& block_shape,
                       Workspace& ws) {
  shape = block_shape;
  if (flow.too_complex) {  // there are no values, and every branch may diverge
    facts.clear();
    branch.assign(flow.cfg.size(), Scope::kVarying);
    context.assign(flow.cfg.size(), Scope::kVarying);
    loop_exit.assign(flow.loops.loops.size(), Scope::kVarying);
    loop_step.assign(flow.loops.loops.size(), Scope::kVarying);
    return;
  }
  UniformityBuilder(flow, *this, ws).run();
}

ValueFacts Uniformity::at(const FlowFacts& flow, ValueId v, BlockId use) const {
  const Value& value = flow.values.values[v];
  ValueFacts f = facts[v];
  if (f.bits.is_bottom()) {
    if (value.kind != ValueKind::kUndefined) return f;  // not yet visited
    return unknown_facts(register_width(flow, value.reg), Scope::kVarying);
  }
  if (f.bits.is_constant() || loop_exit.empty()) return f;  // nothing or no loop to leave
  BlockId def = flow.block_of_value(v);
  for (LoopId l = flow.loops.loop_of[def]; l != kNone; l = flow.loops.loops[l].parent) {
    bool inside = flow.loops.contains(l, use);
    if (inside && def == use) break;
    Scope level = std::max(loop_step[l], inside ? Scope::kGrid : loop_exit[l]);
    if (level == Scope::kVarying) {
      f.bits = f.bits.with_all_varying();
      break;
    }
    f.scope = std::max(f.scope, level);
  }
  return f;
}

namespace {

ValueFacts leaf_facts(const FlowFacts& flow, const Uniformity& u, const Operand& o,
                      unsigned width) {
  switch (o.kind) {
    case OperandKind::kInteger:
    case OperandKind::kFloat32:
    case OperandKind::kFloat64:
      return {truncate(Bits::constant(static_cast<uint64_t>(o.value)), width), Scope::kGrid};
    case OperandKind::kSpecialRegister: {
      SpecialFacts s = special_facts(ptx::special_register_name(o), width, u.shape);
      return {s.bits, s.scope};
    }
    case OperandKind::kSymbol:
      return symbol_facts(flow.module->symbols[o.id], o.value, width, flow.function->is_entry);
    default:
      return unknown_facts(width, Scope::kVarying);
  }
}

}  // namespace

ValueFacts Uniformity::operand(const FlowFacts& flow, uint32_t instruction, uint8_t index) const {
  const ptx::Instruction& ins = flow.instruction(instruction);
  if (index >= ins.operand_count) return unknown_facts(64, Scope::kVarying);
  const Operand& o = flow.module->operands_of(ins)[index];
  if (o.kind == OperandKind::kRegister && o.selector == ptx::Selector::kNone) {
    ValueId v = flow.read(instruction, index);
    if (v == kNone) return unknown_facts(64, Scope::kVarying);
    ValueFacts f = at(flow, v, flow.cfg.block_of[instruction]);
    if (o.negated && !f.bits.is_bottom()) f.bits = bits_not(f.bits, 1);
    return f;
  }
  IntInstruction i = classify(*ins.opcode);
  return leaf_facts(flow, *this, o, i.width == 0 ? 64 : i.width);
}

ValueFacts Uniformity::address(const FlowFacts& flow, uint32_t instruction, uint8_t index) const {
  const ptx::Instruction& ins = flow.instruction(instruction);
  const Operand& o = flow.module->operands_of(ins)[index];
  unsigned width = flow.module->address_size == 32 ? 32 : 64;
  if (o.kind != OperandKind::kAddress) return unknown_facts(width, Scope::kVarying);
  switch (o.base_kind) {
    case OperandKind::kRegister: {
      ValueId v = flow.read(instruction, index);
      if (v == kNone) break;
      ValueFacts f = at(flow, v, flow.cfg.block_of[instruction]);
      if (o.value == 0) return f;
      // The displacement is added in the address's own width; a 32-bit base is taken to stay there.
      unsigned w = register_width(flow, flow.values.values[v].reg);
      f.bits = bits_add(f.bits, truncate(Bits::constant(static_cast<uint64_t>(o.value)), w), w);
      return f;
    }
    case OperandKind::kSymbol:
      return symbol_facts(flow.module->symbols[o.id], o.value, width, flow.function->is_entry);
    case OperandKind::kInteger:
      return constant_facts(static_cast<uint64_t>(o.value));
    default:
      break;
  }
  return unknown_facts(width, Scope::kVarying);
}

ValueFacts Uniformity::guard(const FlowFacts& flow, uint32_t instruction) const {
  const ptx::Instruction& ins = flow.instruction(instruction);
  if (ins.guard == kNoId) return constant_facts(1);
  ValueId v = flow.read(instruction, kImplicitOperand);
  if (v == kNone) return unknown_facts(1, Scope::kVarying);
  ValueFacts f = at(flow, v, flow.cfg.block_of[instruction]);
  if (ins.guard_negated && !f.bits.is_bottom()) f.bits = bits_not(f.bits, 1);
  return f;
}

}  // namespace pitot::analysis
