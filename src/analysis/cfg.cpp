#include "analysis/cfg.h"

#include <algorithm>
#include <utility>

namespace pitot::analysis {

using ptx::Instruction;
using ptx::OperandKind;

namespace {

// Calls visit(instruction index or kNone) for each place a branch may go: kNone for a target that
// nothing declares.
template <class Visit>
void for_each_target(const ptx::Module& m, const ptx::Function& f, const Instruction& i,
                     Visit&& visit) {
  bool any = false;
  auto label = [&](const ptx::Operand& o) {
    const bool known = o.kind == OperandKind::kLabel && o.id < f.labels.size();
    visit(known ? f.labels[o.id].instruction : kNone);
    any = true;
  };
  for (const ptx::Operand& o : m.operands_of(i)) {
    if (o.kind == OperandKind::kLabel) {
      label(o);
    } else if (o.kind == OperandKind::kSymbol && o.id < m.symbols.size() &&
               m.symbols[o.id].kind == ptx::SymbolKind::kBranchTargets) {
      const ptx::Symbol& table = m.symbols[o.id];
      for (uint32_t k = 0; k < table.target_count; ++k) label(m.children[table.first_target + k]);
    }
  }
  if (!any) visit(kNone);
}

bool calls_noreturn(const ptx::Module& m, const Instruction& i) {
  for (const ptx::Operand& o : m.operands_of(i)) {
    if (o.kind != OperandKind::kSymbol || o.id >= m.symbols.size()) continue;
    const ptx::Symbol& s = m.symbols[o.id];
    if (s.kind == ptx::SymbolKind::kFunction && s.function < m.functions.size() &&
        m.functions[s.function].bounds.noreturn)
      return true;
  }
  return false;
}

// Leave bits of an instruction that ends a block; 0 for branches and for all others.
uint8_t leave_of(const ptx::Module& m, const Instruction& i) {
  const ptx::Opcode& op = *i.opcode;
  if (op.has(ptx::kRet)) return kLeaveReturn;
  if (op.has(ptx::kExit)) return kLeaveExit;
  if (op.has(ptx::kTrap)) return kLeaveTrap;
  if (op.has(ptx::kCall) && calls_noreturn(m, i)) return kLeaveNoReturn;
  return 0;
}

}  // namespace

void Cfg::build(const ptx::Module& m, const ptx::Function& f, Workspace& ws, size_t limit) {
  const auto body = m.body(f);
  const uint32_t n = static_cast<uint32_t>(body.size());
  blocks.clear();
  complete = true;
  block_of.assign(n, 0);

  // First pass: where blocks start. block_of serves as the mark.
  if (n > 0) block_of[0] = 1;
  size_t marked = 0;
  for (uint32_t k = 0; k < n; ++k) {
    const bool branch = body[k].opcode->has(ptx::kBranch);
    if (!branch && leave_of(m, body[k]) == 0) continue;
    if (k + 1 < n) block_of[k + 1] = 1;
    if (!branch || marked > limit) continue;
    for_each_target(m, f, body[k], [&](uint32_t t) {
      ++marked;
      if (t < n) block_of[t] = 1;
    });
  }
  if (marked > limit)  // more than were looked at: any label may be a target
    for (const ptx::Label& label : f.labels)
      if (label.instruction < n) block_of[label.instruction] = 1;
  for (uint32_t k = 0; k < n; ++k) {
    if (block_of[k] == 1) {
      if (!blocks.empty()) blocks.back().last = k;
      blocks.push_back({k, n, 0, false, false});
    }
    block_of[k] = size() - 1;
  }

  // Second pass: edges, fall-through first.
  auto sources = ws.borrow();
  auto targets = ws.borrow();
  auto seen = ws.borrow(size(), kNone);  // target → the last block with an edge to it
  falls_through.assign(size(), 0);
  for (BlockId b = 0; b < size(); ++b) {
    Block& block = blocks[b];
    const Instruction& end = body[block.last - 1];
    const bool branch = end.opcode->has(ptx::kBranch);
    const uint8_t leave = leave_of(m, end);
    const bool ends = branch || leave != 0;
    const bool guarded = ends && end.guard != ptx::kNoId;
    block.leaves |= leave;
    block.conditional = guarded;
    const size_t first_edge = targets->size();
    auto edge = [&](BlockId to) {
      if (seen[to] == b) {
        if (falls_through[b] == 1 && targets[first_edge] == to) falls_through[b] = 2;
        return;
      }
      seen[to] = b;
      sources->push_back(b);
      targets->push_back(to);
    };
    if (!ends || guarded) {
      if (b + 1 < size()) {
        edge(b + 1);
        falls_through[b] = 1;
      } else {
        block.leaves |= kLeaveEnd;
      }
    }
    if (!branch) continue;
    if (targets->size() > limit) {
      complete = false;
      block.leaves |= kLeaveUnknown;
      continue;
    }
    uint32_t count = 0;
    for_each_target(m, f, end, [&](uint32_t t) {
      ++count;
      if (t == kNone) {
        block.leaves |= kLeaveUnknown;
      } else if (t >= n) {
        block.leaves |= kLeaveEnd;
      } else {
        edge(block_of[t]);
      }
    });
    if (count > 1) block.conditional = true;
  }
  link(*sources, *targets, ws);
}

void Cfg::build(uint32_t block_count, std::span<const std::pair<BlockId, BlockId>> edges,
                Workspace& ws) {
  blocks.assign(block_count, {});
  complete = true;
  block_of.clear();
  falls_through.assign(block_count, 0);
  auto sources = ws.borrow();
  auto targets = ws.borrow();
  for (BlockId b = 0; b < block_count; ++b) blocks[b].leaves = kLeaveReturn;
  for (const auto& [from, to] : edges) {
    sources->push_back(from);
    targets->push_back(to);
    blocks[from].leaves = 0;
  }
  link(*sources, *targets, ws);
}

void Cfg::link(std::span<const uint32_t> sources, std::span<const uint32_t> targets,
               Workspace& ws) {
  const uint32_t n = size();
  auto group = [n](std::span<const uint32_t> keys, std::span<const uint32_t> values,
                   std::vector<uint32_t>& first, std::vector<uint32_t>& items) {
    first.assign(n + 1, 0);
    items.resize(keys.size());
    for (uint32_t k : keys) ++first[k];
    uint32_t sum = 0;
    for (uint32_t& v : first) sum += std::exchange(v, sum);
    for (size_t k = 0; k < keys.size(); ++k) items[first[keys[k]]++] = values[k];
    std::copy_backward(first.begin(), first.end() - 1, first.end());
    first[0] = 0;
  };
  group(sources, targets, succ_first, succ);
  group(targets, sources, pred_first, pred);

  // Depth-first search without recursion; `next` holds the next successor to look at.
  order.clear();
  order_of.assign(n, kNone);
  if (n == 0) return;
  auto stack = ws.borrow();
  auto next = ws.borrow(n, 0);
  blocks[0].reachable = true;
  stack->push_back(0);
  while (!stack->empty()) {
    const BlockId b = stack->back();
    const auto successors_of_b = successors(b);
    if (next[b] < successors_of_b.size()) {
      const BlockId s = successors_of_b[next[b]++];
      if (blocks[s].reachable) continue;
      blocks[s].reachable = true;
      stack->push_back(s);
    } else {
      order.push_back(b);
      stack->pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  for (uint32_t k = 0; k < order.size(); ++k) order_of[order[k]] = k;
}

uint32_t Cfg::deciding_instruction(const ptx::Module& m, const ptx::Function& f, BlockId b) const {
  const Block& block = blocks[b];
  if (!block.conditional || successors(b).size() + (block.leaves != 0 ? 1 : 0) < 2) return kNone;
  const uint32_t last = block.last - 1;
  return m.body(f)[last].guard == ptx::kNoId ? kNone : last;
}

}  // namespace pitot::analysis
