// Liveness of registers at block boundaries, aware of predicated writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/access_roles.h"
#include "analysis/cfg.h"

namespace pitot::analysis {

// A write under a guard ends the old value's life only on the lanes where the guard holds: reads
// under the same unchanged guard do not keep the older value alive, all other reads do.
// A register is live only where some write of it can reach; reading one that was never written does
// not occupy a register from the function's start. Unreachable blocks have nothing live.
struct Liveness {
  std::vector<uint32_t> first;           // block → into live_in_items; one past at the end
  std::vector<RegId> live_in_items;      // ascending per block; carry_register() included
  std::vector<uint32_t> register_first;  // register slot → into register_blocks
  std::vector<BlockId> register_blocks;  // the blocks a register is live into
  // Like the two above, for registers that are read later but that no write can have reached.
  std::vector<uint32_t> unwritten_first;
  std::vector<BlockId> unwritten_blocks;
  std::vector<uint8_t> starts;  // access item → 1: a write just before which the register is dead

  bool complete = true;  // false: the limit was hit, and nothing is live here

  // `limit`: pairs of a block and a register that is live into it.
  void build(const ptx::Module& m, const ptx::Function& f, const Accesses& accesses, const Cfg& cfg,
             Workspace& ws, size_t limit = SIZE_MAX);

  std::span<const RegId> live_in(BlockId b) const {
    return std::span(live_in_items).subspan(first[b], first[b + 1] - first[b]);
  }
  std::span<const BlockId> live_blocks(RegId r) const {
    return std::span(register_blocks)
        .subspan(register_first[r], register_first[r + 1] - register_first[r]);
  }
  std::span<const BlockId> unwritten(RegId r) const {
    return std::span(unwritten_blocks)
        .subspan(unwritten_first[r], unwritten_first[r + 1] - unwritten_first[r]);
  }
  bool is_live_in(BlockId b, RegId r) const;
  // Registers live after the block's last instruction, ascending.
  void live_out(const Cfg& cfg, BlockId b, std::vector<RegId>& out) const;
};

}  // namespace pitot::analysis
