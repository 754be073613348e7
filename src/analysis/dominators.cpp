#include "analysis/dominators.h"

#include <algorithm>
#include <utility>

namespace pitot::analysis {

namespace {

// Lengauer and Tarjan's algorithm (1979), the version with path compression only. All work is done
// on depth-first numbers, so that comparing two of them compares their order.
class TreeBuilder {
 public:
  TreeBuilder(uint32_t nodes, uint32_t root, Workspace& ws)
      : root_(root),
        number_(ws.borrow(nodes, kNone)),
        vertex_(ws.borrow()),
        parent_(ws.borrow()),
        semi_(ws.borrow()),
        label_(ws.borrow()),
        ancestor_(ws.borrow()),
        idom_(ws.borrow()),
        bucket_(ws.borrow()),
        chain_(ws.borrow()),
        path_(ws.borrow()),
        next_(ws.borrow(nodes, 0)) {}

  // successors(node) gives a span; only nodes that may_visit(node) accepts are entered.
  template <class Successors, class MayVisit>
  void search(Successors&& successors, MayVisit&& may_visit) {
    auto enter = [&](uint32_t node, uint32_t parent) {
      number_[node] = count();
      vertex_->push_back(node);
      parent_->push_back(parent);
    };
    auto stack = &*path_;
    enter(root_, kNone);
    stack->push_back(root_);
    while (!stack->empty()) {
      const uint32_t node = stack->back();
      const auto out = successors(node);
      if (next_[node] == out.size()) {
        stack->pop_back();
        continue;
      }
      const uint32_t s = out[next_[node]++];
      if (number_[s] != kNone || !may_visit(s)) continue;
      enter(s, number_[node]);
      stack->push_back(s);
    }
  }

  // for_each_predecessor(node, visit) may name nodes outside the tree.
  template <class ForEachPredecessor>
  void solve(ForEachPredecessor&& for_each_predecessor, DominatorTree& out) {
    const uint32_t n = count();
    semi_->resize(n);
    label_->resize(n);
    for (uint32_t v = 0; v < n; ++v) semi_[v] = label_[v] = v;
    ancestor_->assign(n, kNone);
    idom_->assign(n, kNone);
    bucket_->assign(n, kNone);
    chain_->assign(n, kNone);
    for (uint32_t w = n; w-- > 1;) {
      for_each_predecessor(vertex_[w], [&](uint32_t node) {
        const uint32_t v = number_[node];
        if (v != kNone) semi_[w] = std::min(semi_[w], semi_[evaluate(v)]);
      });
      chain_[w] = std::exchange(bucket_[semi_[w]], w);
      const uint32_t p = parent_[w];
      ancestor_[w] = p;
      for (uint32_t v = std::exchange(bucket_[p], kNone); v != kNone; v = chain_[v]) {
        const uint32_t u = evaluate(v);
        idom_[v] = semi_[u] < semi_[v] ? u : p;
      }
    }
    for (uint32_t w = 1; w < n; ++w)
      if (idom_[w] != semi_[w]) idom_[w] = idom_[idom_[w]];
    number_tree(out);
  }

 private:
  uint32_t count() const { return static_cast<uint32_t>(vertex_.size()); }

  // The node of smallest semidominator on the linked path above v.
  uint32_t evaluate(uint32_t v) {
    if (ancestor_[v] == kNone) return v;
    path_->clear();
    for (uint32_t u = v; ancestor_[ancestor_[u]] != kNone; u = ancestor_[u]) path_->push_back(u);
    while (!path_->empty()) {
      const uint32_t u = path_->back();
      path_->pop_back();
      const uint32_t a = ancestor_[u];
      if (semi_[label_[a]] < semi_[label_[u]]) label_[u] = label_[a];
      ancestor_[u] = ancestor_[a];
    }
    return label_[v];
  }

  // Depth-first numbers put a node after its dominator, so two sweeps give subtree sizes and then a
  // preorder of the tree without child lists.
  void number_tree(DominatorTree& out) {
    const uint32_t n = count();
    const size_t nodes = number_.size();
    out.root = root_;
    out.idom.assign(nodes, kNone);
    out.enter.assign(nodes, kNone);
    out.leave.assign(nodes, kNone);
    out.preorder.resize(n);
    auto& size = *semi_;
    auto& free = *label_;
    std::fill(size.begin(), size.end(), 1);
    for (uint32_t w = n; w-- > 1;) size[idom_[w]] += size[w];
    for (uint32_t w = 0; w < n; ++w) {
      const uint32_t node = vertex_[w];
      uint32_t at = 0;
      if (w > 0) {
        out.idom[node] = vertex_[idom_[w]];
        at = free[idom_[w]];
        free[idom_[w]] += size[w];
      }
      free[w] = at + 1;
      out.enter[node] = at;
      out.leave[node] = at + size[w] - 1;
      out.preorder[at] = node;
    }
  }

  uint32_t root_;
  Workspace::Loan number_, vertex_, parent_, semi_, label_, ancestor_, idom_, bucket_, chain_,
      path_, next_;
};

}  // namespace

void build_dominators(const Cfg& cfg, DominatorTree& out, Workspace& ws) {
  if (cfg.size() == 0) {
    out = {};
    return;
  }
  TreeBuilder builder(cfg.size(), 0, ws);
  builder.search([&](uint32_t b) { return cfg.successors(b); }, [](uint32_t) { return true; });
  builder.solve(
      [&](uint32_t b, auto&& visit) {
        for (BlockId p : cfg.predecessors(b)) visit(p);
      },
      out);
}

void build_post_dominators(const Cfg& cfg, DominatorTree& out, Workspace& ws) {
  const uint32_t exit = cfg.size();
  // The blocks that the virtual exit follows: those that leave, then one for each endless region.
  auto ends = ws.borrow();
  auto is_end = ws.borrow(exit, 0);
  auto reaches = ws.borrow(exit, 0);
  auto stack = ws.borrow();
  auto add_end = [&](BlockId b) {
    ends->push_back(b);
    is_end[b] = 1;
    reaches[b] = 1;
    stack->push_back(b);
    while (!stack->empty()) {
      const BlockId t = stack->back();
      stack->pop_back();
      for (BlockId p : cfg.predecessors(t)) {
        if (reaches[p] != 0 || !cfg.blocks[p].reachable) continue;
        reaches[p] = 1;
        stack->push_back(p);
      }
    }
  };
  // A leaving block may already be known to reach another one; it is an end all the same.
  for (BlockId b : cfg.order)
    if (cfg.blocks[b].leaves != 0) add_end(b);
  for (size_t k = cfg.order.size(); k-- > 0;)
    if (reaches[cfg.order[k]] == 0) add_end(cfg.order[k]);

  TreeBuilder builder(exit + 1, exit, ws);
  builder.search(
      [&](uint32_t b) {
        return b == exit ? std::span<const uint32_t>(*ends) : cfg.predecessors(b);
      },
      [&](uint32_t b) { return cfg.blocks[b].reachable; });
  builder.solve(
      [&](uint32_t b, auto&& visit) {
        for (BlockId s : cfg.successors(b)) visit(s);
        if (is_end[b] != 0) visit(exit);
      },
      out);
}

namespace {

// Groups (block, item) pairs by block, keeping their order.
void group_pairs(uint32_t blocks, std::span<const uint32_t> keys, std::span<const uint32_t> items,
                 BlockLists& out) {
  out.first.assign(blocks + 1, 0);
  out.items.resize(items.size());
  for (uint32_t k : keys) ++out.first[k + 1];
  for (size_t k = 1; k < out.first.size(); ++k) out.first[k] += out.first[k - 1];
  for (size_t k = 0; k < keys.size(); ++k) out.items[out.first[keys[k]]++] = items[k];
  std::copy_backward(out.first.begin(), out.first.end() - 1, out.first.end());
  out.first[0] = 0;
}

}  // namespace

void build_control_dependence(const Cfg& cfg, const DominatorTree& post, BlockLists& out,
                              Workspace& ws, size_t limit) {
  auto dependents = ws.borrow();
  auto branches = ws.borrow();
  auto last = ws.borrow(cfg.size(), kNone);
  out.complete = true;
  for (BlockId b = 0; b < cfg.size() && out.complete; ++b) {
    for_each_dependent(cfg, post, b, [&](BlockId d) {
      if (last[d] == b) return;
      if (dependents->size() >= limit) {
        out.complete = false;
        return;
      }
      last[d] = b;
      dependents->push_back(d);
      branches->push_back(b);
    });
  }
  group_pairs(cfg.size(), *dependents, *branches, out);
}

void build_frontiers(const Cfg& cfg, const DominatorTree& dom, BlockLists& out, Workspace& ws,
                     size_t limit) {
  out.complete = true;
  auto runners = ws.borrow();
  auto joins = ws.borrow();
  auto last = ws.borrow(cfg.size(), kNone);
  for (BlockId b = 0; b < cfg.size(); ++b) {
    if (!dom.contains(b)) continue;
    if (runners->size() > limit) {
      out.complete = false;
      break;
    }
    for (BlockId p : cfg.predecessors(b)) {
      if (!dom.contains(p)) continue;
      // Once a runner has the join, so have all above it.
      for (uint32_t r = p; r != dom.idom[b] && r != kNone && last[r] != b; r = dom.idom[r]) {
        last[r] = b;
        runners->push_back(r);
        joins->push_back(b);
      }
    }
  }
  group_pairs(cfg.size(), *runners, *joins, out);
}

}  // namespace pitot::analysis
