// Depth-first placements of a block's instructions, iterative so that long chains cost no stack.
#include "analysis/register_schedule.h"

namespace pitot::analysis {
namespace {

using ptx::Effect;
using ptx::Space;

constexpr auto kFixed = Effect::kBarrier | Effect::kFence | Effect::kBranch | Effect::kCall |
                        Effect::kRet | Effect::kExit | Effect::kVolatile | Effect::kTrap;

}  // namespace

BlockSchedules::BlockSchedules(const FlowFacts& flow) : flow_(flow) {}

bool BlockSchedules::fixed(uint32_t i) const {
  return (flow_.instruction(i).opcode->effects & kFixed) != 0;
}

bool BlockSchedules::is_load(uint32_t i) const {
  const ptx::Opcode& op = *flow_.instruction(i).opcode;
  return op.has(Effect::kLoad) && ptx::base_space(op.space) != Space::kParam;
}

void BlockSchedules::build(const Block& block) {
  memory_order(block);
  text.clear();
  for (uint32_t i = block.first; i < block.last; ++i) text.push_back(i);

  early(block, addresses_first);
}

// Loads, with what they need, before the rest; between instructions that nothing may pass.
void BlockSchedules::early(const Block& block, std::vector<uint32_t>& order) {
  order.clear();
  placed_.assign(block.size(), 0);
  uint32_t segment = block.first;
  auto flush = [&](uint32_t end) {
    for (uint32_t i = segment; i < end; ++i)
      if (is_load(i) || flow_.instruction(i).opcode->has(Effect::kStore))
        place(block, i, order, false);
    for (uint32_t i = segment; i < end; ++i)
      if (is_load(i)) place(block, i, order);
    for (uint32_t i = segment; i < end; ++i) place(block, i, order);
    if (end < block.last) place(block, end, order);
    segment = end + 1;
  };
  for (uint32_t i = block.first; i < block.last; ++i)
    if (fixed(i)) flush(i);
  flush(block.last);
}

// Loads stay behind earlier stores that may write what they read.
void BlockSchedules::memory_order(const Block& block) {
  after_.assign(block.size(), kNone);
  uint32_t global = kNone, shared = kNone, local = kNone;
  for (uint32_t i = block.first; i < block.last; ++i) {
    const ptx::Opcode& op = *flow_.instruction(i).opcode;
    Space space = ptx::base_space(op.space);
    bool store = (op.effects & (Effect::kStore | Effect::kAtomic | Effect::kRed)) != 0;
    uint32_t& last = space == Space::kShared ? shared : space == Space::kLocal ? local : global;
    if (op.has(Effect::kLoad) && !op.has_mod(ptx::Mod::kNc) && space != Space::kParam &&
        space != Space::kConst)
      after_[i - block.first] = last;
    if (store) last = i;
  }
}

// Appends i after the instructions of the block that it needs, or only what its address needs.
void BlockSchedules::place(const Block& block, uint32_t i, std::vector<uint32_t>& order,
                           bool itself) {
  stack_.clear();
  stack_.push_back(i);
  while (!stack_.empty()) {
    uint32_t n = stack_.back();
    if (placed_[n - block.first] != 0) {
      stack_.pop_back();
      continue;
    }
    size_t before = stack_.size();
    auto need = [&](uint32_t d) {
      if (d >= block.first && d < n && placed_[d - block.first] == 0) stack_.push_back(d);
    };
    const bool address_only = !itself && n == i;
    if (!address_only && after_[n - block.first] != kNone) need(after_[n - block.first]);
    for (uint32_t k = flow_.accesses.first[n]; k < flow_.accesses.first[n + 1]; ++k) {
      ValueId v = flow_.values.value_of[k];
      if (v == kNone || (address_only && flow_.accesses.items[k].role != Role::kAddress)) continue;
      // A conditional write keeps the old value.
      if (flow_.accesses.items[k].write) v = flow_.values.values[v].from;
      if (v == kNone || flow_.values.values[v].kind != ValueKind::kWrite) continue;
      need(flow_.accesses.instruction_of[flow_.values.values[v].where]);
    }
    if (stack_.size() == before && address_only) return;
    if (stack_.size() == before) {
      placed_[n - block.first] = 1;
      order.push_back(n);
      stack_.pop_back();
    }
  }
}

}  // namespace pitot::analysis
