// Pressure: one backward walk a block, from the registers live at its end.
#include "analysis/pressure.h"

#include <algorithm>

namespace pitot::analysis {

uint32_t register_units(const ptx::Register& r) {
  if (r.type == ptx::Type::kPred) return 0;
  return std::max(1u, (ptx::bits_of(r.type) + 31) / 32) * r.vector;
}

namespace {

// Adds a register to the count of its width, or takes it away.
void count(LiveRegisters& live, const ptx::Register& r, uint32_t sign) {
  const unsigned bits = ptx::bits_of(r.type);
  uint32_t& slot = r.type == ptx::Type::kPred ? live.predicates
                   : bits <= 16               ? live.narrow
                   : bits <= 32               ? live.single
                   : bits <= 64               ? live.twice
                                              : live.fourfold;
  slot += sign * r.vector;
}

}  // namespace

void Pressure::build(const FlowFacts& flow, Workspace& ws) {
  const ptx::Function& f = *flow.function;
  const uint32_t registers = static_cast<uint32_t>(f.registers.size());
  max = max_instruction = max_predicates = 0;
  at_max = {};
  mean = 0;
  profile.assign(flow.instruction_count(), 0);
  auto live = ws.borrow(registers + 1, 0);  // by register: 1 while live
  auto out = ws.borrow();
  uint64_t sum = 0, counted = 0;
  for (BlockId b : flow.cfg.order) {
    out->clear();
    flow.liveness.live_out(flow.cfg, b, *out);
    LiveRegisters now;
    auto add = [&](RegId r) {
      if (r >= registers || live[r] != 0) return;
      live[r] = 1;
      count(now, f.registers[r], 1);
    };
    auto remove = [&](RegId r) {
      if (r >= registers || live[r] == 0) return;
      live[r] = 0;
      count(now, f.registers[r], ~0u);
    };
    for (RegId r : *out) add(r);
    const Block& block = flow.cfg.blocks[b];
    for (uint32_t i = block.last; i-- > block.first;) {
      const auto items = flow.accesses.of(i);
      const uint32_t base = flow.accesses.first[i];
      uint32_t peak = 0;
      auto look = [&] {
        max_predicates = std::max(max_predicates, now.predicates);
        peak = std::max(peak, now.units());
        if (peak <= max) return;
        max = peak;
        max_instruction = i;
        at_max = now;
      };
      for (const RegAccess& a : items)
        if (a.write) add(a.reg);  // a result nobody reads needs a place too
      look();
      for (uint32_t k = 0; k < items.size(); ++k)
        if (items[k].write && flow.liveness.starts[base + k] != 0) remove(items[k].reg);
      for (const RegAccess& a : items)
        if (!a.write) add(a.reg);
      look();
      profile[i] = peak;
      sum += peak;
      ++counted;
    }
    // What is left is live into the block, or read there and never written: clear it.
    for (RegId r : flow.liveness.live_in(b)) remove(r);
    for (RegId r : *out) remove(r);
    for (uint32_t i = block.first; i < block.last; ++i)
      for (const RegAccess& a : flow.accesses.of(i)) remove(a.reg);
  }
  if (counted > 0) mean = static_cast<double>(sum) / static_cast<double>(counted);
}

}  // namespace pitot::analysis
