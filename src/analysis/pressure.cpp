// Pressure: one backward walk a block, from the registers live at its end.
#include "analysis/pressure.h"

#include <algorithm>

namespace pitot::analysis {

uint32_t register_units(const ptx::Register& r) {
  if (r.type == ptx::Type::kPred) return 0;
  return std::max(1u, (ptx::bits_of(r.type) + 31) / 32) * r.vector;
}

void Pressure::build(const FlowFacts& flow, Workspace& ws) {
  const ptx::Function& f = *flow.function;
  const uint32_t registers = static_cast<uint32_t>(f.registers.size());
  max = max_instruction = max_predicates = 0;
  mean = 0;
  profile.assign(flow.instruction_count(), 0);
  auto live = ws.borrow(registers + 1, 0);  // by register: 1 while live
  auto out = ws.borrow();
  uint64_t sum = 0, counted = 0;
  for (BlockId b : flow.cfg.order) {
    out->clear();
    flow.liveness.live_out(flow.cfg, b, *out);
    uint32_t units = 0, predicates = 0;
    auto add = [&](RegId r) {
      if (r >= registers || live[r] != 0) return;
      live[r] = 1;
      units += register_units(f.registers[r]);
      predicates += f.registers[r].type == ptx::Type::kPred ? f.registers[r].vector : 0u;
    };
    auto remove = [&](RegId r) {
      if (r >= registers || live[r] == 0) return;
      live[r] = 0;
      units -= register_units(f.registers[r]);
      predicates -= f.registers[r].type == ptx::Type::kPred ? f.registers[r].vector : 0u;
    };
    for (RegId r : *out) add(r);
    const Block& block = flow.cfg.blocks[b];
    for (uint32_t i = block.last; i-- > block.first;) {
      auto items = flow.accesses.of(i);
      uint32_t base = flow.accesses.first[i];
      for (const RegAccess& a : items)
        if (a.write) add(a.reg);  // a result nobody reads needs a place too
      uint32_t peak = units;
      max_predicates = std::max(max_predicates, predicates);
      for (uint32_t k = 0; k < items.size(); ++k)
        if (items[k].write && flow.liveness.starts[base + k] != 0) remove(items[k].reg);
      for (const RegAccess& a : items)
        if (!a.write) add(a.reg);
      peak = std::max(peak, units);
      max_predicates = std::max(max_predicates, predicates);
      profile[i] = peak;
      sum += peak;
      ++counted;
      if (peak > max) {
        max = peak;
        max_instruction = i;
      }
    }
    // What is left is live into the block: clear it for the next one.
    for (RegId r : flow.liveness.live_in(b)) remove(r);
    for (RegId r : *out) remove(r);
    for (uint32_t i = block.first; i < block.last; ++i)
      for (const RegAccess& a : flow.accesses.of(i)) remove(a.reg);
  }
  if (counted > 0) mean = static_cast<double>(sum) / static_cast<double>(counted);
}

}  // namespace pitot::analysis
