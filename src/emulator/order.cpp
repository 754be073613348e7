// Reverse postorder in which edges out of inner loops are searched first, and so come last.
#include "emulator/order.h"

#include <algorithm>

namespace pitot::emulator {

using analysis::BlockId;
using analysis::kNone;
using analysis::LoopId;

std::vector<uint32_t> scheduling_order(const analysis::Cfg& cfg, const analysis::LoopForest& loops,
                                       uint32_t instructions, std::vector<bool>& leaders) {
  // Depth of the innermost loop that holds both.
  auto shared_depth = [&](BlockId a, BlockId b) {
    for (LoopId l = loops.loop_of[a]; l != kNone; l = loops.loops[l].parent)
      if (loops.contains(l, b)) return loops.loops[l].depth;
    return 0u;
  };
  std::vector<BlockId> postorder;
  std::vector<uint8_t> seen(cfg.size());
  struct Visit {
    BlockId block;
    std::vector<BlockId> next;
  };
  std::vector<Visit> stack;
  auto enter = [&](BlockId b) {
    seen[b] = 1;
    auto succ = cfg.successors(b);
    std::vector<BlockId> next(succ.begin(), succ.end());
    // Taken from the back: what leaves most loops first; of equals, what comes later in the text.
    std::stable_sort(next.begin(), next.end(), [&](BlockId x, BlockId y) {
      const uint32_t dx = shared_depth(b, x), dy = shared_depth(b, y);
      return dx != dy ? dx > dy : x < y;
    });
    stack.push_back({b, std::move(next)});
  };
  if (cfg.size() > 0) enter(0);
  while (!stack.empty()) {
    Visit& v = stack.back();
    if (v.next.empty()) {
      postorder.push_back(v.block);
      stack.pop_back();
      continue;
    }
    const BlockId b = v.next.back();
    v.next.pop_back();
    if (!seen[b]) enter(b);
  }
  std::reverse(postorder.begin(), postorder.end());
  for (BlockId b = 0; b < cfg.size(); ++b)
    if (!seen[b]) postorder.push_back(b);
  std::vector<uint32_t> order(instructions);
  leaders.assign(instructions, false);
  uint32_t number = 0;
  for (BlockId b : postorder) {
    const auto& block = cfg.blocks[b];
    if (block.first < instructions) leaders[block.first] = true;
    for (uint32_t i = block.first; i < block.last && i < instructions; ++i) order[i] = number++;
  }
  return order;
}

}  // namespace pitot::emulator
