// Builds the facts in the order in which they need each other.
#include "analysis/flow_facts.h"

namespace pitot::analysis {

void FlowFacts::build(const ptx::Module& m, const ptx::Function& f, Workspace& ws) {
  module = &m;
  function = &f;
  accesses.build(m, f);
  cfg.build(m, f, ws);
  build_dominators(cfg, dom, ws);
  build_post_dominators(cfg, post, ws);
  build_frontiers(cfg, dom, frontiers, ws);
  loops.build(cfg, ws);
  liveness.build(m, f, accesses, cfg, ws);
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

ValueId FlowFacts::read(uint32_t instruction, uint8_t operand, uint16_t element) const {
  for (uint32_t k = accesses.first[instruction]; k < accesses.first[instruction + 1]; ++k) {
    const RegAccess& a = accesses.items[k];
    if (a.operand == operand && a.element == element && !a.write && a.role != Role::kCarry)
      return values.value_of[k];
  }
  return kNone;
}

}  // namespace pitot::analysis
