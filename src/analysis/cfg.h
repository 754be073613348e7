// Control-flow graph of one function: basic blocks as instruction ranges, and the edges between
// them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/workspace.h"
#include "ptx/module.h"

namespace pitot::analysis {

using BlockId = uint32_t;  // index into Cfg::blocks; blocks are in text order
inline constexpr uint32_t kNone = UINT32_MAX;

// How a block may hand control outside the function; bits of Block::leaves.
enum Leave : uint8_t {
  kLeaveReturn = 1,    // ret: back to the caller, or thread end in an entry
  kLeaveExit = 2,      // exit: thread end from any depth
  kLeaveTrap = 4,      // trap
  kLeaveNoReturn = 8,  // call of a .noreturn function
  kLeaveEnd = 16,      // runs past the last instruction, or branches to a label there
  kLeaveUnknown = 32,  // target that nothing declares
};

struct Block {
  uint32_t first = 0;  // instructions [first, last) of the function
  uint32_t last = 0;
  uint8_t leaves = 0;        // Leave bits
  bool reachable = false;    // from the function's first instruction
  bool conditional = false;  // ends in a guarded branch, ret, exit or trap, or in a brx
  uint32_t size() const { return last - first; }
};

enum class EdgeSense : uint8_t { kGuardHolds, kGuardFails, kEither };

// Edges are unique. successors(b)[0] is the fall-through block when the block has one.
struct Cfg {
  std::vector<Block> blocks;      // entry is block 0; empty for a function without instructions
  std::vector<BlockId> block_of;  // instruction → block
  std::vector<uint32_t> succ_first, pred_first;  // block → into succ, pred; one past at the end
  std::vector<BlockId> succ, pred;
  std::vector<uint8_t> falls_through;  // block → 1: successors(b)[0] is reached by falling
                                       // through; 2: it is a target of the branch as well
  std::vector<BlockId> order;          // reachable blocks in reverse postorder
  std::vector<uint32_t> order_of;      // block → position in `order`; kNone if unreachable
  bool complete = true;                // false: edges beyond the limit are left out (kLeaveUnknown)

  // Calls do not end blocks. Labels that no branch of the function targets do not start one.
  // `limit`: edges at most; a table of branch targets that many branches share makes their number
  // quadratic in the text.
  void build(const ptx::Module& m, const ptx::Function& f, Workspace& ws, size_t limit = SIZE_MAX);
  // From a bare graph without instructions, for tests and generators; blocks without successors
  // leave.
  void build(uint32_t block_count, std::span<const std::pair<BlockId, BlockId>> edges,
             Workspace& ws);

  uint32_t size() const { return static_cast<uint32_t>(blocks.size()); }
  std::span<const BlockId> successors(BlockId b) const {
    return std::span(succ).subspan(succ_first[b], succ_first[b + 1] - succ_first[b]);
  }
  std::span<const BlockId> predecessors(BlockId b) const {
    return std::span(pred).subspan(pred_first[b], pred_first[b + 1] - pred_first[b]);
  }
  // The guarded instruction that decides between the two ways out of a block, or kNone when there
  // is no choice or it is made by a brx index.
  uint32_t deciding_instruction(const ptx::Module& m, const ptx::Function& f, BlockId b) const;
  // What an edge says of the deciding guard (its negation applied).
  EdgeSense sense(BlockId from, BlockId to) const {
    if (falls_through[from] == 2) return EdgeSense::kEither;
    return falls_through[from] == 1 && successors(from)[0] == to ? EdgeSense::kGuardFails
                                                                 : EdgeSense::kGuardHolds;
  }

 private:
  void link(std::span<const uint32_t> sources, std::span<const uint32_t> targets, Workspace& ws);
};

}  // namespace pitot::analysis
