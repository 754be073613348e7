// Which memory accesses of one block must keep their order, within one thread: overlapping accesses
// of which one writes, and everything around barriers, fences, calls and other ordering operations.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/address_root.h"
#include "analysis/flow_facts.h"

namespace pitot::analysis {

// State spaces that an access may touch; a generic one may touch three.
enum SpaceBit : uint8_t {
  kInGlobal = 1,
  kInShared = 2,
  kInLocal = 4,
  kInParam = 8,
  kInSurface = 16
};

struct MemoryAccess {
  uint32_t instruction = 0;
  uint8_t spaces = 0;  // SpaceBit
  bool writes = false;
  bool ordered = false;  // volatile or atomic: keeps its place among its like
  uint32_t size = 0;     // bytes; 0: unknown, then the root is unknown too
  AddressRoot root;
};

// Whether two accesses of one thread must keep their order.
bool conflicts(const ptx::Module& m, const MemoryAccess& a, const MemoryAccess& b);

// Fed the instructions of a block in order; reports the order they must keep.
class MemoryOrder {
 public:
  void reset(const FlowFacts& facts);
  void start_block();
  // Calls order(from, to) with from < to for the direct constraints; not transitively closed.
  // A block with more than 128 accesses between two ordering operations has the oldest of them put
  // in order too, so that the work stays linear; `folded` says that this happened.
  template <class Order>
  void add(uint32_t instruction, Order&& order);
  bool folded = false;

 private:
  enum class Kind : uint8_t { kNothing, kAccess, kOrdersAll };
  Kind describe(uint32_t instruction);
  // Reads that changes over time (%clock64, %globaltimer …) keep their place as well.
  bool reads_clock(const ptx::Instruction& i) const;
  template <class Order>
  void fold(std::vector<MemoryAccess>& list, Order&& order);

  const FlowFacts* facts_ = nullptr;
  AddressRoots roots_;
  std::vector<MemoryAccess> now_;  // accesses of the current instruction
  std::vector<MemoryAccess> reads_, writes_;
  uint32_t last_fence_ = kNone;
};

template <class Order>
void MemoryOrder::add(uint32_t instruction, Order&& order) {
  switch (describe(instruction)) {
    case Kind::kNothing:
      return;
    case Kind::kOrdersAll:
      for (const MemoryAccess& a : reads_) order(a.instruction, instruction);
      for (const MemoryAccess& a : writes_) order(a.instruction, instruction);
      if (last_fence_ != kNone) order(last_fence_, instruction);
      reads_.clear();
      writes_.clear();
      last_fence_ = instruction;
      return;
    case Kind::kAccess:
      break;
  }
  if (last_fence_ != kNone) order(last_fence_, instruction);
  for (const MemoryAccess& a : now_) {
    for (const MemoryAccess& b : writes_)
      if (b.instruction != instruction && conflicts(*facts_->module, a, b))
        order(b.instruction, instruction);
    if (!a.writes && !a.ordered) continue;
    for (const MemoryAccess& b : reads_)
      if (b.instruction != instruction && conflicts(*facts_->module, a, b))
        order(b.instruction, instruction);
  }
  for (const MemoryAccess& a : now_) (a.writes ? writes_ : reads_).push_back(a);
  fold(reads_, order);
  fold(writes_, order);
}

template <class Order>
void MemoryOrder::fold(std::vector<MemoryAccess>& list, Order&& order) {
  constexpr size_t kMost = 128;
  if (list.size() <= kMost) return;
  folded = true;
  MemoryAccess& last = list[kMost / 2 - 1];
  for (size_t k = 0; k + 1 < kMost / 2; ++k) {
    if (list[k].instruction < last.instruction) order(list[k].instruction, last.instruction);
    last.spaces |= list[k].spaces;
    last.ordered |= list[k].ordered;
  }
  last.size = 0;
  last.root = {};
  list.erase(list.begin(), list.begin() + kMost / 2 - 1);
}

}  // namespace pitot::analysis
