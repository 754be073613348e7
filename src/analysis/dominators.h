// Dominator and post-dominator trees, dominance frontiers and control dependence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cfg.h"

namespace pitot::analysis {

// Tree over the blocks (and, for post-dominators, a virtual exit numbered cfg.size()).
struct DominatorTree {
  std::vector<uint32_t> idom;      // kNone for the root and for blocks outside the tree
  std::vector<uint32_t> enter;     // preorder number in the tree; kNone outside
  std::vector<uint32_t> leave;     // largest preorder number in the subtree
  std::vector<uint32_t> preorder;  // nodes by preorder number
  uint32_t root = kNone;

  bool contains(uint32_t node) const { return enter[node] != kNone; }
  // Reflexive; false when either lies outside the tree.
  bool dominates(uint32_t a, uint32_t b) const {
    return contains(a) && contains(b) && enter[a] <= enter[b] && leave[b] <= leave[a];
  }
  bool strictly_dominates(uint32_t a, uint32_t b) const { return a != b && dominates(a, b); }
};

// Lengauer–Tarjan with path compression, O(edges · log blocks), no recursion.
void build_dominators(const Cfg& cfg, DominatorTree& out, Workspace& ws);

// The virtual exit follows every block that may leave the function. A region that never leaves (an
// endless loop) is tied to it at the region's last block in reverse postorder, so every reachable
// block is in the tree.
void build_post_dominators(const Cfg& cfg, DominatorTree& out, Workspace& ws);

// Immediate post-dominator: kNone for none but the virtual exit.
inline uint32_t immediate_post_dominator(const DominatorTree& post, BlockId b) {
  uint32_t d = post.idom[b];
  return d == post.root ? kNone : d;
}

// Calls visit(block) for each block that is control-dependent on the branch that ends `branch`
// (Ferrante, Ottenstein and Warren): it post-dominates one successor but not the branch strictly.
// A block may be visited once per successor.
template <class Visit>
void for_each_dependent(const Cfg& cfg, const DominatorTree& post, BlockId branch, Visit&& visit) {
  if (!post.contains(branch)) return;
  uint32_t stop = post.idom[branch];
  for (BlockId s : cfg.successors(branch))
    for (uint32_t b = s; b != stop && b != kNone && b != post.root; b = post.idom[b]) visit(b);
}

// Lists of blocks per block. The total can be quadratic in the depth of nested loops, so `limit`
// bounds it; `complete` is false when it was hit.
struct BlockLists {
  std::vector<uint32_t> first;
  std::vector<BlockId> items;
  bool complete = true;
  std::span<const BlockId> of(BlockId b) const {
    return std::span(items).subspan(first[b], first[b + 1] - first[b]);
  }
};

// The branches on which each block is control-dependent, ascending.
void build_control_dependence(const Cfg& cfg, const DominatorTree& post, BlockLists& out,
                              Workspace& ws, size_t limit = SIZE_MAX);

// The dominance frontier of each block (where phi functions of its definitions go).
// Quadratic in the depth of nested loops as well.
void build_frontiers(const Cfg& cfg, const DominatorTree& dom, BlockLists& out, Workspace& ws,
                     size_t limit = SIZE_MAX);

}  // namespace pitot::analysis
