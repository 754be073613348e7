// Loops and their nesting.
#include "analysis/loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

using Set = std::set<BlockId>;

Set blocks_of(const LoopForest& l, LoopId id) {
  const auto s = l.blocks_of(id);
  return {s.begin(), s.end()};
}

struct Graph {
  Workspace ws;
  Cfg cfg;
  DominatorTree dom;
  LoopForest loops;
  void build(uint32_t n, const Edges& edges) {
    cfg.build(n, edges, ws);
    build_dominators(cfg, dom, ws);
    loops.build(cfg, ws);
  }
};

TEST(Loops, NestOfTwoAndASibling) {
  Graph g;
  //      0 → 1 → 2 → 3 → 2, 3 → 4 → 1, 4 → 5 → 5, 5 → 6
  g.build(7, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}, {5, 5}, {5, 6}});
  ASSERT_EQ(g.loops.loops.size(), 3u);
  const Loop& outer = g.loops.loops[0];
  EXPECT_EQ(outer.header, 1u);
  EXPECT_EQ(outer.depth, 1u);
  EXPECT_EQ(outer.parent, kNone);
  EXPECT_EQ(blocks_of(g.loops, 0), (Set{1, 2, 3, 4}));
  EXPECT_EQ(g.loops.loops[1].header, 2u);
  EXPECT_EQ(g.loops.loops[1].parent, 0u);
  EXPECT_EQ(g.loops.loops[1].depth, 2u);
  EXPECT_EQ(blocks_of(g.loops, 1), (Set{2, 3}));
  EXPECT_EQ(blocks_of(g.loops, 2), (Set{5}));
  EXPECT_EQ(g.loops.loop_of[3], 1u);
  EXPECT_EQ(g.loops.loop_of[4], 0u);
  EXPECT_EQ(g.loops.loop_of[6], kNone);
  EXPECT_EQ(g.loops.depth_of(3), 2u);
  EXPECT_TRUE(g.loops.is_latch(g.cfg, 0, 4));
  EXPECT_FALSE(g.loops.is_latch(g.cfg, 0, 3));
  EXPECT_TRUE(g.loops.is_latch(g.cfg, 1, 3));
  EXPECT_FALSE(g.loops.is_innermost(0));
  EXPECT_TRUE(g.loops.is_innermost(1));
  EXPECT_TRUE(g.loops.is_innermost(2));
}

TEST(Loops, TwoEntriesAreIrreducible) {
  Graph g;
  g.build(4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}});
  ASSERT_EQ(g.loops.loops.size(), 1u);
  EXPECT_TRUE(g.loops.loops[0].irreducible);
  EXPECT_EQ(blocks_of(g.loops, 0), (Set{1, 2}));
}

TEST(Loops, UnreachableCycleIsNoLoop) {
  Graph g;
  g.build(3, {{1, 2}, {2, 1}});
  EXPECT_TRUE(g.loops.loops.empty());
}

// Blocks on a common cycle with b, b itself only if it has one.
Set component(const Edges& edges, uint32_t n, BlockId b) {
  auto reach = [&](bool forward) {
    std::vector<bool> seen(n, false);
    std::vector<BlockId> work{b};
    while (!work.empty()) {
      const BlockId x = work.back();
      work.pop_back();
      for (auto [from, to] : edges) {
        const BlockId a = forward ? from : to, c = forward ? to : from;
        if (a != x || seen[c]) continue;
        seen[c] = true;
        work.push_back(c);
      }
    }
    return seen;
  };
  const auto after = reach(true), before = reach(false);
  Set out;
  for (BlockId x = 0; x < n; ++x)
    if (after[x] && before[x]) out.insert(x);
  return out;
}

// The natural loop of a header by definition: what reaches its back edges without passing it.
Set natural_loop(const Graph& g, BlockId header) {
  Set body{header};
  std::vector<BlockId> work;
  for (BlockId t : g.cfg.predecessors(header))
    if (g.dom.dominates(header, t) && body.insert(t).second) work.push_back(t);
  while (!work.empty()) {
    const BlockId x = work.back();
    work.pop_back();
    for (BlockId p : g.cfg.predecessors(x))
      if (g.cfg.blocks[p].reachable && body.insert(p).second) work.push_back(p);
  }
  return body;
}

TEST(Loops, RandomGraphsAgainstDefinitions) {
  std::mt19937 rng(3);
  Graph g;
  int reducible = 0, irreducible = 0;
  for (int round = 0; round < 500; ++round) {
    const uint32_t n = 1 + static_cast<uint32_t>(rng() % 20);
    Edges edges = random_graph(rng, n);
    g.build(n, edges);
    std::erase_if(edges, [&](auto e) { return !g.cfg.blocks[e.first].reachable; });
    Set headers;
    for (LoopId l = 0; l < g.loops.loops.size(); ++l) {
      const Loop& loop = g.loops.loops[l];
      ASSERT_TRUE(headers.insert(loop.header).second);
      const Set blocks = blocks_of(g.loops, l);
      ASSERT_TRUE(blocks.contains(loop.header));
      // Entries from outside: the header only, unless flagged.
      bool other_entry = false;
      for (BlockId b : blocks)
        for (BlockId p : g.cfg.predecessors(b))
          other_entry |= g.cfg.blocks[p].reachable && !blocks.contains(p) && b != loop.header;
      ASSERT_EQ(loop.irreducible, other_entry);
      (loop.irreducible ? irreducible : reducible)++;
      ASSERT_TRUE(loop.irreducible || blocks == natural_loop(g, loop.header));
      if (loop.parent == kNone) {
        ASSERT_EQ(blocks, component(edges, n, loop.header));
      } else {
        ASSERT_LT(loop.parent, l);
        ASSERT_EQ(loop.depth, g.loops.loops[loop.parent].depth + 1);
        for (BlockId b : blocks) ASSERT_TRUE(g.loops.contains(loop.parent, b));
      }
    }
    for (BlockId b = 0; b < n; ++b) {
      if (!g.cfg.blocks[b].reachable) continue;
      ASSERT_EQ(g.loops.loop_of[b] != kNone, !component(edges, n, b).empty());
      for (BlockId t : g.cfg.predecessors(b))
        ASSERT_TRUE(!g.dom.dominates(b, t) || headers.contains(b));
      // The innermost loop is the deepest one that contains the block.
      uint32_t depth = 0;
      for (LoopId l = 0; l < g.loops.loops.size(); ++l)
        if (blocks_of(g.loops, l).contains(b)) depth = std::max(depth, g.loops.loops[l].depth);
      ASSERT_EQ(g.loops.depth_of(b), depth);
    }
  }
  EXPECT_GT(reducible, 100);
  EXPECT_GT(irreducible, 20);
}

TEST(Loops, DeepNestIsLinear) {
  const uint32_t n = 200000;
  Edges edges;
  for (uint32_t b = 0; b + 1 < n; ++b) edges.emplace_back(b, b + 1);
  for (uint32_t b = n / 2; b + 1 < n; ++b) edges.emplace_back(b, n - 1 - b);
  Graph g;
  g.build(n, edges);
  EXPECT_EQ(g.loops.loops.size(), n / 2 - 1);
  EXPECT_EQ(g.loops.depth_of(n / 2), n / 2 - 1);
}

}  // namespace
}  // namespace pitot::analysis
