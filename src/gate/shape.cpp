// Builds the layout-free control flow.
#include "gate/shape.h"

#include <algorithm>

namespace pitot::gate {

namespace {

using analysis::Cfg;

class Builder {
 public:
  Builder(const ptx::Module& m, const ptx::Function& f, const Cfg& cfg, Shape& out)
      : m_(m), f_(f), cfg_(cfg), out_(out) {}

  void run() {
    out_.blocks.resize(cfg_.size());
    for (uint32_t b = 0; b < cfg_.size(); ++b) fill(b);
    thread_empty_blocks();
    join_chains();
    find_roots();
  }

 private:
  uint32_t block_at(uint32_t instruction) const {
    return instruction < cfg_.block_of.size() ? cfg_.block_of[instruction] : kLeaves;
  }

  uint32_t target_of(const ptx::Operand& o) {
    if (o.kind == ptx::OperandKind::kLabel && o.id < f_.labels.size())
      return block_at(f_.labels[o.id].instruction);
    out_.complete = false;
    return kLeaves;
  }

  void fill(uint32_t b) {
    const analysis::Block& block = cfg_.blocks[b];
    ShapeBlock& s = out_.blocks[b];
    if (block.first == block.last) {
      s.successors = {block_at(block.last)};
      return;
    }
    for (uint32_t i = block.first; i + 1 < block.last; ++i) s.body.push_back(i);
    const uint32_t last = block.last - 1;
    const ptx::Instruction& in = m_.body(f_)[last];
    const uint32_t next = block_at(block.last);
    const bool guarded = in.guard != ptx::kNoId;
    const ptx::Opcode& op = *in.opcode;
    auto two_way = [&](uint32_t taken) {
      s.terminator = last;
      if (!guarded) {
        s.successors = {taken};
        return;
      }
      s.two_way = true;
      s.negated = in.guard_negated;
      s.successors = in.guard_negated ? std::vector<uint32_t>{next, taken}
                                      : std::vector<uint32_t>{taken, next};
    };
    if (op.has(ptx::kBranch) && op.text.starts_with("brx")) {
      s.terminator = last;
      table_targets(in, s);
      if (guarded) s.successors.push_back(next);
    } else if (op.has(ptx::kBranch)) {
      auto operands = m_.operands_of(in);
      uint32_t target = kLeaves;
      if (operands.empty()) {
        out_.complete = false;
      } else {
        target = target_of(operands[0]);
      }
      if (guarded) {
        two_way(target);
      } else {
        s.successors = {target};  // an edge; `.uni` says nothing that an unguarded jump does not
      }
    } else if (op.has(ptx::kRet) || op.has(ptx::kExit) || op.text == "trap") {
      two_way(kLeaves);
    } else {
      s.body.push_back(last);
      s.successors = {next};
    }
  }

  void table_targets(const ptx::Instruction& in, ShapeBlock& s) {
    size_t before = s.successors.size();
    for (const ptx::Operand& o : m_.operands_of(in)) {
      if (o.kind != ptx::OperandKind::kSymbol || o.id >= m_.symbols.size()) continue;
      const ptx::Symbol& table = m_.symbols[o.id];
      if (table.kind != ptx::SymbolKind::kBranchTargets) continue;
      for (uint32_t t = 0; t < table.target_count; ++t)
        s.successors.push_back(target_of(m_.children[table.first_target + t]));
    }
    if (s.successors.size() == before) out_.complete = false;
  }

  // A block that only jumps on is skipped; cycles of such blocks (endless loops) stay.
  void thread_empty_blocks() {
    auto skips = [&](const ShapeBlock& b) {
      return b.body.empty() && b.terminator == UINT32_MAX && b.successors.size() == 1;
    };
    for (ShapeBlock& b : out_.blocks) {
      for (uint32_t& to : b.successors) {
        uint32_t at = to;
        uint32_t steps = 0;
        while (at != kLeaves && skips(out_.blocks[at]) && steps++ < 64)
          at = out_.blocks[at].successors[0];
        if (steps < 64) to = at;
      }
    }
  }

  void join_chains() {
    const uint32_t n = static_cast<uint32_t>(out_.blocks.size());
    std::vector<uint32_t> incoming(n, 0);
    std::vector<bool> live = reachable();
    if (n > 0) incoming[0] = 1;  // the function's entry
    for (uint32_t b = 0; b < n; ++b) {
      if (!live[b]) continue;
      for (uint32_t to : out_.blocks[b].successors)
        if (to != kLeaves) ++incoming[to];
    }
    for (uint32_t b = 0; b < n; ++b) {
      if (!live[b]) continue;
      ShapeBlock& block = out_.blocks[b];
      while (block.terminator == UINT32_MAX && block.successors.size() == 1) {
        uint32_t to = block.successors[0];
        if (to == kLeaves || to == b || incoming[to] != 1) break;
        ShapeBlock& next = out_.blocks[to];
        block.body.insert(block.body.end(), next.body.begin(), next.body.end());
        block.terminator = next.terminator;
        block.two_way = next.two_way;
        block.negated = next.negated;
        block.successors = std::move(next.successors);
        next = ShapeBlock{};
        live[to] = false;
      }
    }
  }

  std::vector<bool> reachable() const {
    std::vector<bool> seen(out_.blocks.size(), false);
    if (seen.empty()) return seen;
    std::vector<uint32_t> work{0};
    seen[0] = true;
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      for (uint32_t to : out_.blocks[b].successors) {
        if (to == kLeaves || seen[to]) continue;
        seen[to] = true;
        work.push_back(to);
      }
    }
    return seen;
  }

  // Unreachable code cannot run, but its blocks are compared too, each from itself.
  void find_roots() {
    std::vector<bool> seen = reachable();
    if (!seen.empty()) out_.roots.push_back(0);
    for (uint32_t b = 0; b < out_.blocks.size(); ++b) {
      const ShapeBlock& block = out_.blocks[b];
      if (seen[b] || (block.body.empty() && block.terminator == UINT32_MAX)) continue;
      out_.roots.push_back(b);
    }
  }

  const ptx::Module& m_;
  const ptx::Function& f_;
  const Cfg& cfg_;
  Shape& out_;
};

}  // namespace

Shape::Shape(const ptx::Module& m, const ptx::Function& f, const Cfg& cfg) {
  Builder(m, f, cfg, *this).run();
}

}  // namespace pitot::gate
