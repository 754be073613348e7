// Liveness of registers at block boundaries, aware of predicated writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/access_roles.h"
#include "analysis/cfg.h"

namespace pitot::analysis {

// A predicated write does not end the old value's life, except where every later read in the block
// is under the same unchanged guard. A register is live only where some definition can reach:
// reading one that was never written does not occupy it from the function's start.
struct Liveness {
  std::vector<uint32_t> first;       // block → into live_in_items; one past at the end
  std::vector<RegId> live_in_items;  // ascending per block; carry_register() included
  std::vector<uint8_t> starts;  // access item → 1 for a write before which the register is dead

  void build(const ptx::Module& m, const ptx::Function& f, const Accesses& accesses, const Cfg& cfg,
             Workspace& ws);

  std::span<const RegId> live_in(BlockId b) const {
    return std::span(live_in_items).subspan(first[b], first[b + 1] - first[b]);
  }
  bool is_live_in(BlockId b, RegId r) const;
  // Registers live after the block's last instruction, ascending.
  void live_out(const Cfg& cfg, BlockId b, std::vector<RegId>& out) const;
};

}  // namespace pitot::analysis
