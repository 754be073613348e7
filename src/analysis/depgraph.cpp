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

void DepGraph::build(const FlowFacts& facts, Workspace& ws, Wanted wanted) {
  const bool all = wanted == Wanted::kAll;
  const uint32_t n = facts.instruction_count();
  const uint32_t slots = register_slots(*facts.function);
  memory_.reset(facts);
  // By register: the last write of the block, and the reads since then as a list.
  auto last_write = ws.borrow(slots, kNone);
  auto reads = ws.borrow(all ? slots : 0, kNone);
  auto read_next = ws.borrow();
  auto read_at = ws.borrow();
  auto seen_by = ws.borrow(n, kNone);  // source → the last target, and the kinds of its edges there
  std::vector<uint8_t> seen_kinds(n, 0);
  std::vector<Late> late;
  items.clear();
  first.assign(1, 0);
  first.reserve(n + size_t{1});
  auto edge = [&](uint32_t a, uint32_t b, DependenceKind kind, uint32_t latency) {
    // Operands that repeat a register give the same edge again.
    const auto bit = static_cast<uint8_t>(1u << static_cast<uint32_t>(kind));
    if (seen_by[a] != b) {
      seen_by[a] = b;
      seen_kinds[a] = 0;
    }
    if ((seen_kinds[a] & bit) != 0) return;
    seen_kinds[a] |= bit;
    const Dependence d{a, static_cast<uint16_t>(latency), kind};
    if (b + size_t{1} == first.size()) {
      items.push_back(d);
    } else {
      late.push_back({b, d});
    }
  };
  for (const Block& block : facts.cfg.blocks) {
    memory_.start_block();
    read_at->clear();
    read_next->clear();
    for (uint32_t i = block.first; i < block.last; ++i) {
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
        if (all) {
          for (uint32_t r = reads[a.reg]; r != kNone; r = read_next[r])
            if (read_at[r] != i) edge(read_at[r], i, DependenceKind::kAnti, 0);
          reads[a.reg] = kNone;
        }
        if (!a.kills() && facts.liveness.starts[first_item + k] == 0) flow(a.reg);
        const uint32_t w = last_write[a.reg];
        if (all && w != kNone && w != i) edge(w, i, DependenceKind::kOutput, 1);
        last_write[a.reg] = i;
      }
      for (const RegAccess& a : accesses) {
        if (!all || a.write || last_write[a.reg] == i) continue;
        read_next->push_back(std::exchange(reads[a.reg], static_cast<uint32_t>(read_at.size())));
        read_at->push_back(i);
      }
      memory_.add(i, [&](uint32_t a, uint32_t b) {
        edge(a, b, DependenceKind::kMemory,
             memory_latency(*facts.instruction(a).opcode, *facts.instruction(b).opcode));
      });
      first.push_back(static_cast<uint32_t>(items.size()));
    }
    // The lists are the block's own.
    for (uint32_t i = block.first; i < block.last; ++i)
      for (const RegAccess& a : facts.accesses.of(i)) {
        if (all) reads[a.reg] = kNone;
        last_write[a.reg] = kNone;
      }
  }
  folded = memory_.folded;
  if (facts.is_long()) memory_ = {};
  insert(late);
}

// Moves the lists apart from the end, so that each late edge finds its place.
void DepGraph::insert(std::vector<Late>& late) {
  if (late.empty()) return;
  std::stable_sort(late.begin(), late.end(),
                   [](const Late& a, const Late& b) { return a.to < b.to; });
  size_t left = late.size();
  items.resize(items.size() + left);
  for (size_t i = first.size() - 1; i-- > 0 && left > 0;) {
    std::copy_backward(items.begin() + first[i], items.begin() + first[i + 1],
                       items.begin() + first[i + 1] + static_cast<ptrdiff_t>(left));
    const uint32_t end = first[i + 1] + static_cast<uint32_t>(left);
    size_t here = 0;
    while (here < left && late[left - 1 - here].to == i) ++here;
    // The list itself moves down by its own late edges, which then follow it.
    if (here > 0) {
      const auto begin = items.begin() + first[i] + static_cast<ptrdiff_t>(left);
      std::copy(begin, items.begin() + end, begin - static_cast<ptrdiff_t>(here));
      for (size_t k = 0; k < here; ++k) items[end - here + k] = late[left - here + k].edge;
      left -= here;
    }
    first[i + 1] = end;
  }
}

}  // namespace pitot::analysis
