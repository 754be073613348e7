// Builds the facts in the order in which they need each other.
#include "analysis/flow_facts.h"

#include <algorithm>

namespace pitot::analysis {

void FlowFacts::build(const ptx::Module& m, const ptx::Function& f, Workspace& ws) {
  module = &m;
  function = &f;
  accesses.build(m, f);
  const size_t limit = kItemsPerInstruction * instruction_count() + kItems;
  cfg.build(m, f, ws, limit);
  build_dominators(cfg, dom, ws);
  build_post_dominators(cfg, post, ws);
  build_frontiers(cfg, dom, frontiers, ws, limit);
  loops.build(cfg, ws, limit);
  uint32_t deepest = 0;
  for (const Loop& l : loops.loops) deepest = std::max(deepest, l.depth);
  too_complex = !cfg.complete || !frontiers.complete || !loops.complete || deepest > kDeepestLoop;
  liveness.build(m, f, accesses, cfg, ws, too_complex ? 0 : limit);
  too_complex = too_complex || !liveness.complete;
  if (too_complex) return values.clear(accesses);
  if (is_long()) ws.release();
  values.build(f, accesses, cfg, dom, frontiers, liveness, ws);
  if (is_long()) frontiers = {};
}

void FlowFacts::forget_registers() {
  if (!is_long()) return;
  frontiers = {};
  liveness = {};
  std::vector<uint32_t>().swap(accesses.register_items);
  std::vector<uint32_t>().swap(accesses.register_first);
  std::vector<uint32_t>().swap(values.use_items);
  std::vector<uint32_t>().swap(values.use_first);
}

void FlowFacts::forget_trees() {
  if (!is_long()) return;
  for (auto* list : {&post.idom, &post.preorder, &dom.preorder})
    std::vector<uint32_t>().swap(*list);
}

ValueId FlowFacts::read(uint32_t instruction, uint8_t operand, uint16_t element) const {
  for (uint32_t k = accesses.first[instruction]; k < accesses.first[instruction + 1]; ++k) {
    const RegAccess& a = accesses.items[k];
    if (a.operand == operand && a.element == element && !a.write && a.role != Role::kCarry)
      return values.value_of[k];
  }
  return kNone;
}

}  // namespace pitot::analysis
