// Lanes by block, from the block that decides (the immediate dominator) downwards.
#include "analysis/active_lanes.h"

namespace pitot::analysis {
namespace {

// Control goes from here to the end of the thread and does nothing on the way.
bool only_leaves(const FlowFacts& flow, BlockId b) {
  for (int hops = 0; hops < 4; ++hops) {
    const Block& block = flow.cfg.blocks[b];
    if (block.conditional) return false;
    for (uint32_t i = block.first; i < block.last; ++i)
      if ((flow.instruction(i).opcode->effects & (ptx::kBranch | ptx::kRet | ptx::kExit)) == 0)
        return false;
    auto next = flow.cfg.successors(b);
    if (next.empty()) return true;
    b = next[0];
  }
  return false;
}

// By block: whether lanes may be fewer there in a later turn of a loop than in the first. They
// leave the loop at different turns, or the kernel itself by a conditional exit within the loop.
std::vector<uint8_t> thinning_blocks(const FlowFacts& flow, const Uniformity& u) {
  std::vector<uint8_t> loop(flow.loops.loops.size(), 0), out(flow.cfg.size(), 0);
  if (loop.empty()) return out;
  for (BlockId b : flow.cfg.order) {
    const Block& block = flow.cfg.blocks[b];
    if (!block.conditional || block.leaves == 0 || u.branch[b] != Scope::kVarying) continue;
    for (LoopId l = flow.loops.loop_of[b]; l != kNone; l = flow.loops.loops[l].parent) loop[l] = 1;
  }
  for (LoopId l = 0; l < loop.size(); ++l) {  // outer loops come first
    LoopId parent = flow.loops.loops[l].parent;
    if (u.loop_exit[l] == Scope::kVarying || u.loop_step[l] == Scope::kVarying ||
        (parent != kNone && loop[parent] != 0))
      loop[l] = 1;
  }
  for (BlockId b : flow.cfg.order)
    if (LoopId l = flow.loops.loop_of[b]; l != kNone) out[b] = loop[l];
  return out;
}

// The immediate dominator; where that lies in a loop which the block follows and all lanes that
// entered the loop reach, the block before the loop.
BlockId deciding_block(const FlowFacts& flow, BlockId b) {
  BlockId d = flow.dom.idom[b];
  LoopId outermost = kNone;
  for (LoopId l = flow.loops.loop_of[d]; l != kNone && !flow.loops.contains(l, b);
       l = flow.loops.loops[l].parent)
    outermost = l;
  if (outermost == kNone || flow.loops.loops[outermost].irreducible) return d;
  uint32_t before = flow.dom.idom[flow.loops.loops[outermost].header];
  return before != kNone && flow.post.dominates(b, before) ? before : d;
}

}  // namespace

void ActiveLanes::build(const FlowFacts& flow, const Uniformity& u, AffineForms& forms,
                        LaneEvaluator& lanes) {
  const Cfg& cfg = flow.cfg;
  may.assign(cfg.size(), 0);
  gone.assign(cfg.size(), 0);
  exact.assign(cfg.size(), 0);
  if (cfg.size() == 0) return;
  const std::vector<uint8_t> thinning = thinning_blocks(flow, u);
  may[0] = lanes.lanes();
  exact[0] = 1;
  for (BlockId b : cfg.order) {
    if (b == 0) continue;
    BlockId d = deciding_block(flow, b);
    may[b] = may[d];
    gone[b] = gone[d];
    exact[b] = exact[d];
    if (thinning[b] != 0) exact[b] = 0;
    if (flow.post.dominates(b, d)) continue;
    auto preds = cfg.predecessors(b);
    uint32_t decides = preds.size() == 1 && preds[0] == d
                           ? cfg.deciding_instruction(*flow.module, *flow.function, d)
                           : kNone;
    if (decides == kNone) {
      exact[b] = 0;
      continue;
    }
    std::optional<LaneMask> holds = lanes.predicate(forms.of_guard(decides));
    if (!holds) {
      if (u.branch[d] == Scope::kVarying) exact[b] = 0;
      continue;
    }
    EdgeSense sense = cfg.sense(d, b);
    if (sense == EdgeSense::kEither) continue;
    LaneMask taken = sense == EdgeSense::kGuardHolds ? *holds : ~*holds;
    LaneMask lost = may[b] & ~taken;
    may[b] &= taken;
    bool leave = cfg.successors(d).size() < 2;
    for (BlockId s : cfg.successors(d)) leave = leave || (s != b && only_leaves(flow, s));
    if (leave) gone[b] |= lost;
  }
}

ActiveLanes::Executing ActiveLanes::at(const FlowFacts& flow, const Uniformity& u,
                                       AffineForms& forms, LaneEvaluator& lanes,
                                       uint32_t instruction) const {
  BlockId b = flow.cfg.block_of[instruction];
  Executing out{may[b], exact[b] != 0, gone[b]};
  if (flow.instruction(instruction).guard == ptx::kNoId) return out;
  if (std::optional<LaneMask> holds = lanes.predicate(forms.of_guard(instruction))) {
    out.may &= *holds;
  } else if (u.guard(flow, instruction).level() == Scope::kVarying) {
    out.exact = false;
  }
  return out;
}

}  // namespace pitot::analysis
