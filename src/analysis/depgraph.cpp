#include "analysis/depgraph.h"

#include <algorithm>
#include <utility>

namespace pitot::analysis {

namespace {

// Waiting for a barrier, a fence, a call, or for asynchronous work at its barrier takes the
// operation's time; other accesses only have to issue in order.
uint16_t memory_latency(const ptx::Opcode& from, const ptx::Opcode& to) {
  if ((from.effects & (ptx::kBarrier | ptx::kFence | ptx::kCall)) != 0) return from.latency;
  if (from.has(ptx::kAsync) && to.has(ptx::kBarrier)) return from.latency;
  return 1;
}

}  // namespace

void DepGraph::build(const FlowFacts& facts, Workspace& ws) {
  const uint32_t n = facts.instruction_count();
  const uint32_t slots = register_slots(*facts.function);
  memory_.reset(facts);
  // By register: the last write of the block, and the reads since then as a list.
  auto last_write = ws.borrow(slots, kNone);
  auto reads = ws.borrow(slots, kNone);
  auto read_next = ws.borrow();
  auto read_at = ws.borrow();
  // Edges in the order found: target, source, kind and latency.
  auto to = ws.borrow();
  auto from = ws.borrow();
  auto what = ws.borrow();
  auto seen_by = ws.borrow(n, kNone);  // source → the last target, and the kinds of its edges there
  auto seen_kinds = ws.borrow(n, 0);
  auto edge = [&](uint32_t a, uint32_t b, DependenceKind kind, uint32_t latency) {
    // Operands that repeat a register give the same edge again.
    const uint32_t bit = 1u << static_cast<uint32_t>(kind);
    if (seen_by[a] != b) {
      seen_by[a] = b;
      seen_kinds[a] = 0;
    }
    if ((std::exchange(seen_kinds[a], seen_kinds[a] | bit) & bit) != 0) return;
    from->push_back(a);
    to->push_back(b);
    what->push_back(static_cast<uint32_t>(kind) | latency << 8);
  };
  for (const Block& block : facts.cfg.blocks) {
    memory_.start_block();
    read_at->clear();
    read_next->clear();
    for (uint32_t i = block.first; i < block.last; ++i) {
      const ptx::Opcode& op = *facts.instruction(i).opcode;
      const uint32_t first_item = facts.accesses.first[i];
      const auto accesses = facts.accesses.of(i);
      auto flow = [&](RegId r) {
        const uint32_t w = last_write[r];
        if (w != kNone && w != i)
          edge(w, i, DependenceKind::kFlow, facts.instruction(w).opcode->latency);
      };
      for (const RegAccess& a : accesses) {
        if (!a.write) flow(a.reg);
      }
      for (uint32_t k = 0; k < accesses.size(); ++k) {
        const RegAccess& a = accesses[k];
        if (!a.write) continue;
        for (uint32_t r = reads[a.reg]; r != kNone; r = read_next[r])
          if (read_at[r] != i) edge(read_at[r], i, DependenceKind::kAnti, 0);
        reads[a.reg] = kNone;
        if (!a.kills() && facts.liveness.starts[first_item + k] == 0) flow(a.reg);
        const uint32_t w = last_write[a.reg];
        if (w != kNone && w != i) edge(w, i, DependenceKind::kOutput, 1);
        last_write[a.reg] = i;
      }
      for (const RegAccess& a : accesses) {
        if (a.write || last_write[a.reg] == i) continue;
        read_next->push_back(std::exchange(reads[a.reg], static_cast<uint32_t>(read_at.size())));
        read_at->push_back(i);
      }
      memory_.add(i, [&](uint32_t a, uint32_t b) {
        edge(a, b, DependenceKind::kMemory,
             memory_latency(*facts.instruction(a).opcode,
                            b == i ? op : *facts.instruction(b).opcode));
      });
    }
    // The lists are the block's own.
    for (uint32_t i = block.first; i < block.last; ++i)
      for (const RegAccess& a : facts.accesses.of(i)) {
        reads[a.reg] = kNone;
        last_write[a.reg] = kNone;
      }
  }
  folded = memory_.folded;

  first.assign(n + 1, 0);
  for (uint32_t t : *to) ++first[t + 1];
  for (size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  items.resize(to->size());
  for (size_t k = 0; k < to->size(); ++k)
    items[first[to[k]]++] = {from[k], static_cast<uint16_t>(what[k] >> 8),
                             static_cast<DependenceKind>(what[k] & 0xff)};
  std::copy_backward(first.begin(), first.end() - 1, first.end());
  first[0] = 0;
}

}  // namespace pitot::analysis
