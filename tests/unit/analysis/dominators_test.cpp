// Dominators and their kin, against definitions applied by brute force on random graphs.
#include "analysis/dominators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "flow_helpers.h"

namespace pitot::analysis {
namespace {

// Nodes reachable from `start` when `removed` is gone.
std::vector<bool> reach(const Edges& edges, uint32_t nodes, BlockId start, BlockId removed) {
  std::vector<bool> seen(nodes, false);
  if (start == removed) return seen;
  seen[start] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [from, to] : edges) {
      if (!seen[from] || seen[to] || to == removed) continue;
      seen[to] = true;
      changed = true;
    }
  }
  return seen;
}

// The graph turned round with a virtual exit, tied to endless regions as build_post_dominators
// says.
Edges reversed(const Cfg& cfg, const Edges& edges) {
  const BlockId exit = cfg.size();
  Edges out;
  for (auto [from, to] : edges)
    if (cfg.blocks[from].reachable) out.emplace_back(to, from);
  for (BlockId b : cfg.order)
    if (cfg.blocks[b].leaves != 0) out.emplace_back(exit, b);
  for (size_t k = cfg.order.size(); k-- > 0;)
    if (!reach(out, exit + 1, exit, kNone)[cfg.order[k]]) out.emplace_back(exit, cfg.order[k]);
  return out;
}

void expect_dominators(const DominatorTree& tree, const Edges& edges, uint32_t nodes,
                       BlockId root) {
  const auto in = reach(edges, nodes, root, kNone);
  for (BlockId a = 0; a < nodes; ++a) {
    ASSERT_EQ(tree.contains(a), in[a]) << a;
    if (!in[a]) continue;
    const auto without = reach(edges, nodes, root, a);
    for (BlockId b = 0; b < nodes; ++b)
      ASSERT_EQ(tree.dominates(a, b), in[b] && !without[b]) << a << " " << b;
    if (a == root) {
      ASSERT_EQ(tree.idom[a], kNone);
      continue;
    }
    // The immediate one: dominated by all other strict dominators.
    const BlockId d = tree.idom[a];
    ASSERT_TRUE(tree.strictly_dominates(d, a));
    for (BlockId c = 0; c < nodes; ++c)
      ASSERT_TRUE(!tree.strictly_dominates(c, a) || tree.dominates(c, d));
  }
}

TEST(Dominators, RandomGraphsAgainstRemoval) {
  std::mt19937 rng(1);
  Workspace ws;
  Cfg cfg;
  DominatorTree dom, post;
  for (int round = 0; round < 400; ++round) {
    const uint32_t n = 1 + static_cast<uint32_t>(rng() % 24);
    const Edges edges = random_graph(rng, n);
    cfg.build(n, edges, ws);
    build_dominators(cfg, dom, ws);
    expect_dominators(dom, edges, n, 0);
    build_post_dominators(cfg, post, ws);
    expect_dominators(post, reversed(cfg, edges), n + 1, n);
    if (HasFatalFailure()) return;
  }
}

TEST(Dominators, FrontierAndControlDependenceByDefinition) {
  std::mt19937 rng(2);
  Workspace ws;
  Cfg cfg;
  DominatorTree dom, post;
  BlockLists frontiers, control;
  for (int round = 0; round < 400; ++round) {
    const uint32_t n = 1 + static_cast<uint32_t>(rng() % 20);
    cfg.build(n, random_graph(rng, n), ws);
    build_dominators(cfg, dom, ws);
    build_post_dominators(cfg, post, ws);
    build_frontiers(cfg, dom, frontiers, ws);
    build_control_dependence(cfg, post, control, ws);
    EXPECT_TRUE(control.complete);
    for (BlockId a = 0; a < n; ++a) {
      std::set<BlockId> frontier, controllers;
      for (BlockId b = 0; b < n; ++b) {
        for (BlockId p : cfg.predecessors(b))
          if (dom.dominates(a, p) && !dom.strictly_dominates(a, b)) frontier.insert(b);
        if (!cfg.blocks[a].reachable || !cfg.blocks[b].reachable) continue;
        for (BlockId s : cfg.successors(b))
          if (post.dominates(a, s) && !post.strictly_dominates(a, b)) controllers.insert(b);
      }
      auto sorted = list(frontiers.of(a));
      ASSERT_EQ(sorted, std::vector<BlockId>(frontier.begin(), frontier.end()));
      ASSERT_EQ(list(control.of(a)), std::vector<BlockId>(controllers.begin(), controllers.end()));
    }
  }
}

TEST(Dominators, PredicatedExitPostDominance) {
  auto a = analyse("@%p1 exit;\nmov.u32 %r1, 1;\n@%p2 bra L;\nmov.u32 %r1, 2;\nL: ret;");
  const DominatorTree& post = a.facts.post;
  EXPECT_EQ(immediate_post_dominator(post, 0), kNone);  // the thread may end at once
  EXPECT_EQ(immediate_post_dominator(post, 1), 3u);
  BlockLists control;
  build_control_dependence(a.facts.cfg, post, control, a.workspace);
  EXPECT_EQ(list(control.of(1)), (std::vector<BlockId>{0}));
  EXPECT_EQ(list(control.of(2)), (std::vector<BlockId>{1}));
  EXPECT_EQ(list(control.of(3)), (std::vector<BlockId>{0}));
}

// Shapes on which simple algorithms go quadratic or recurse too deep.
TEST(Dominators, LargeGraphs) {
  const uint32_t n = 200000;
  Workspace ws;
  Cfg cfg;
  DominatorTree dom, post;
  BlockLists frontiers;
  Edges shared_exit, ladder;
  for (uint32_t b = 0; b + 1 < n; ++b) {
    shared_exit.emplace_back(b, b + 1);
    if (b + 2 < n) shared_exit.emplace_back(b, n - 1);
    ladder.emplace_back(b, b + 1);
    if (b + 2 < n) ladder.emplace_back(b, b + 2);
  }
  for (const Edges* edges : {&shared_exit, &ladder}) {
    cfg.build(n, *edges, ws);
    build_dominators(cfg, dom, ws);
    build_post_dominators(cfg, post, ws);
    build_frontiers(cfg, dom, frontiers, ws);
    EXPECT_EQ(dom.idom[n - 1], 0u);
    EXPECT_EQ(post.idom[0], n - 1);
  }
}

}  // namespace
}  // namespace pitot::analysis
