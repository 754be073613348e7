#include "analysis/loops.h"

#include <algorithm>
#include <utility>

namespace pitot::analysis {

namespace {

// Havlak's algorithm on depth-first numbers. Union-find merges the blocks of a found loop into its
// header, so outer loops see inner ones as one node.
class LoopFinder {
 public:
  LoopFinder(const Cfg& cfg, Workspace& ws)
      : cfg_(cfg),
        ws_(ws),
        number_(ws.borrow(cfg.size(), kNone)),
        vertex_(ws.borrow()),
        last_(ws.borrow()),
        representative_(ws.borrow()),
        header_(ws.borrow()),
        kind_(ws.borrow()) {}

  enum : uint32_t { kPlain, kReducible, kIrreducible };

  // False if the limit was hit.
  bool run(size_t limit) {
    search();
    const uint32_t n = count();
    representative_->resize(n);
    for (uint32_t v = 0; v < n; ++v) representative_[v] = v;
    header_->assign(n, kNone);
    kind_->assign(n, kPlain);
    auto body = ws_.borrow();
    auto in_body = ws_.borrow(n, kNone);  // node → the header whose body it was put into last
    // Entries into a loop from outside its header: further predecessors that outer loops must see.
    auto extra_head = ws_.borrow(n, kNone);
    auto extra_next = ws_.borrow();
    auto extra_node = ws_.borrow();
    auto listed = ws_.borrow(n, kNone);  // node → the header in whose list it was put last
    for (uint32_t w = n; w-- > 0;) {
      if (extra_node->size() > limit) return false;
      body->clear();
      for (BlockId p : cfg_.predecessors(vertex_[w])) {
        const uint32_t v = number_[p];
        if (v == kNone || !is_ancestor(w, v)) continue;
        kind_[w] = std::max<uint32_t>(kind_[w], kReducible);
        const uint32_t r = find(v);
        if (r == w || in_body[r] == w) continue;
        in_body[r] = w;
        body->push_back(r);
      }
      for (size_t k = 0; k < body->size(); ++k) {
        const uint32_t x = body[k];
        auto visit = [&](uint32_t v) {
          const uint32_t r = find(v);
          if (!is_ancestor(w, r)) {
            kind_[w] = kIrreducible;
            if (std::exchange(listed[r], w) == w) return;
            extra_node->push_back(r);
            extra_next->push_back(extra_head[w]);
            extra_head[w] = static_cast<uint32_t>(extra_node->size() - 1);
          } else if (r != w && in_body[r] != w) {
            in_body[r] = w;
            body->push_back(r);
          }
        };
        for (BlockId p : cfg_.predecessors(vertex_[x])) {
          const uint32_t v = number_[p];
          if (v != kNone && !is_ancestor(x, v)) visit(v);
        }
        for (uint32_t e = extra_head[x]; e != kNone; e = extra_next[e]) visit(extra_node[e]);
      }
      for (uint32_t x : *body) {
        header_[x] = w;
        representative_[x] = w;
      }
    }
    return true;
  }

  // Lays the loops out outer before inner, each loop's blocks (inner loops included) side by side.
  void lay_out(LoopForest& out) {
    const uint32_t n = count();
    out.loops.clear();
    out.loop_of.assign(cfg_.size(), kNone);
    out.position.assign(cfg_.size(), kNone);
    // A header comes before its blocks in depth-first order.
    auto size = ws_.borrow(n, 1);
    for (uint32_t v = n; v-- > 0;)
      if (header_[v] != kNone) size[header_[v]] += size[v];
    auto free = ws_.borrow(n, 0);
    auto loop = ws_.borrow(n, kNone);  // header → its loop in depth-first order of headers
    uint32_t total = 0;
    for (uint32_t v = 0; v < n; ++v) {
      const uint32_t h = header_[v];
      if (h == kNone && kind_[v] == kPlain) continue;
      uint32_t& slot = h == kNone ? total : free[h];
      const uint32_t at = slot;
      slot += size[v];
      free[v] = at + 1;
      out.position[vertex_[v]] = at;
      if (kind_[v] == kPlain) continue;
      Loop l;
      l.header = vertex_[v];
      l.irreducible = kind_[v] == kIrreducible;
      l.first = at;
      l.last = at + size[v];
      out.loops.push_back(l);
    }
    out.blocks.resize(total);
    for (uint32_t v = 0; v < n; ++v)
      if (out.position[vertex_[v]] != kNone) out.blocks[out.position[vertex_[v]]] = vertex_[v];
    std::sort(out.loops.begin(), out.loops.end(),
              [](const Loop& a, const Loop& b) { return a.first < b.first; });
    for (LoopId l = 0; l < out.loops.size(); ++l) loop[number_[out.loops[l].header]] = l;
    for (LoopId l = 0; l < out.loops.size(); ++l) {
      const uint32_t h = header_[number_[out.loops[l].header]];
      if (h == kNone) continue;
      out.loops[l].parent = loop[h];
      out.loops[l].depth = out.loops[loop[h]].depth + 1;
    }
    for (uint32_t v = 0; v < n; ++v) {
      if (kind_[v] != kPlain) {
        out.loop_of[vertex_[v]] = loop[v];
      } else if (header_[v] != kNone) {
        out.loop_of[vertex_[v]] = loop[header_[v]];
      }
    }
  }

 private:
  uint32_t count() const { return static_cast<uint32_t>(vertex_.size()); }
  bool is_ancestor(uint32_t a, uint32_t b) const { return a <= b && b <= last_[a]; }

  uint32_t find(uint32_t v) {
    uint32_t root = v;
    while (representative_[root] != root) root = representative_[root];
    while (representative_[v] != root) v = std::exchange(representative_[v], root);
    return root;
  }

  void search() {
    if (cfg_.size() == 0) return;
    auto stack = ws_.borrow();
    auto next = ws_.borrow(cfg_.size(), 0);
    auto enter = [&](BlockId b) {
      number_[b] = count();
      vertex_->push_back(b);
      last_->push_back(0);
      stack->push_back(b);
    };
    enter(0);
    while (!stack->empty()) {
      const BlockId b = stack->back();
      const auto out = cfg_.successors(b);
      if (next[b] == out.size()) {
        last_[number_[b]] = count() - 1;
        stack->pop_back();
        continue;
      }
      const BlockId s = out[next[b]++];
      if (number_[s] == kNone) enter(s);
    }
  }

  const Cfg& cfg_;
  Workspace& ws_;
  Workspace::Loan number_, vertex_, last_, representative_, header_, kind_;
};

}  // namespace

void LoopForest::build(const Cfg& cfg, Workspace& ws, size_t limit) {
  LoopFinder finder(cfg, ws);
  complete = finder.run(limit);
  if (complete) return finder.lay_out(*this);
  loops.clear();
  blocks.clear();
  loop_of.assign(cfg.size(), kNone);
  position.assign(cfg.size(), kNone);
}

bool LoopForest::is_latch(const Cfg& cfg, LoopId l, BlockId b) const {
  if (!contains(l, b)) return false;
  const auto out = cfg.successors(b);
  return std::find(out.begin(), out.end(), loops[l].header) != out.end();
}

}  // namespace pitot::analysis
