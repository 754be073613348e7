// Loops and their nesting, irreducible ones included (Havlak 1997), with no recursion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cfg.h"

namespace pitot::analysis {

using LoopId = uint32_t;  // index into LoopForest::loops; an outer loop comes before its inner ones

struct Loop {
  BlockId header = kNone;  // of an irreducible loop: the entry that depth-first search met first
  LoopId parent = kNone;
  uint32_t depth = 1;            // 1: outermost
  bool irreducible = false;      // has further entries besides the header
  uint32_t first = 0, last = 0;  // its blocks in LoopForest::blocks, those of inner loops included
};

struct LoopForest {
  std::vector<Loop> loops;
  std::vector<BlockId> blocks;
  std::vector<LoopId> loop_of;     // block → innermost loop; kNone outside all
  std::vector<uint32_t> position;  // block → index in `blocks`; kNone outside all

  bool complete = true;  // false: the limit was hit, and there are no loops here

  // `limit`: side entries of irreducible loops to remember; each loop around one may repeat it.
  void build(const Cfg& cfg, Workspace& ws, size_t limit = SIZE_MAX);

  std::span<const BlockId> blocks_of(LoopId l) const {
    return std::span(blocks).subspan(loops[l].first, loops[l].last - loops[l].first);
  }
  bool contains(LoopId l, BlockId b) const {
    return position[b] != kNone && position[b] >= loops[l].first && position[b] < loops[l].last;
  }
  uint32_t depth_of(BlockId b) const { return loop_of[b] == kNone ? 0 : loops[loop_of[b]].depth; }
  // A block whose edge goes back to the header.
  bool is_latch(const Cfg& cfg, LoopId l, BlockId b) const;
  bool is_innermost(LoopId l) const { return l + 1 == loops.size() || loops[l + 1].parent != l; }
};

}  // namespace pitot::analysis
