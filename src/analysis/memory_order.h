// Which memory accesses of one block must keep their order, within one thread: overlapping accesses
// of which one writes, and everything around barriers, fences, calls and other ordering operations.
#pragma once

#include <array>
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

// Those that an access of this space may touch; 0 for memory that a kernel only reads (constant,
// texture).
uint8_t space_bits(ptx::Space space);

struct MemoryAccess {
  uint32_t instruction = 0;
  uint8_t spaces = 0;  // SpaceBit
  bool writes = false;
  bool ordered = false;  // volatile or atomic: keeps its place among its like
  uint16_t slot = 0;     // number among the pending accesses, see MemoryOrder
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
  // Calls order(from, to) with from < to for the direct constraints that earlier ones do not imply
  // already; not transitively closed.
  // A block with more than 128 accesses between two ordering operations has the oldest of them put
  // in order too, so that the work stays linear; `folded` says that this happened.
  template <class Order>
  void add(uint32_t instruction, Order&& order);
  bool folded = false;

  enum class Kind : uint8_t { kNothing, kAccess, kOrdersAll };
  // What an instruction does to memory by itself; of kAccess, `described` has the accesses until
  // the next call. Needs `reset` only.
  Kind describe(uint32_t instruction);
  const std::vector<MemoryAccess>& described() const { return now_; }

 private:
  static constexpr size_t kMost = 128;  // pending reads, and writes
  // One bit a pending access. An instruction adds up to two accesses to either list before the list
  // is folded.
  struct Slots {
    std::array<uint64_t, 5> words{};
    bool has(unsigned k) const { return (words[k / 64] >> k % 64 & 1) != 0; }
    void set(unsigned k) { words[k / 64] |= uint64_t{1} << k % 64; }
    void add(const Slots& o) {
      for (size_t k = 0; k < words.size(); ++k) words[k] |= o.words[k];
    }
    void remove(const Slots& o) {
      for (size_t k = 0; k < words.size(); ++k) words[k] &= ~o.words[k];
    }
  };

  // Reads that changes over time (%clock64, %globaltimer …) keep their place as well.
  bool reads_clock(const ptx::Instruction& i) const;
  bool is_async(uint32_t instruction) const;
  template <class Order>
  void fold(std::vector<MemoryAccess>& list, Order&& order);
  // Calls visit(access) for the pending accesses that are candidates, the latest first.
  template <class Visit>
  void from_latest(bool reads, Visit&& visit);

  const FlowFacts* facts_ = nullptr;
  AddressRoots roots_;
  std::vector<MemoryAccess> now_;  // accesses of the current instruction
  std::vector<MemoryAccess> reads_, writes_;
  uint32_t last_fence_ = kNone;
  Slots used_;
  std::array<Slots, 320> before_;  // slot → pending accesses that its access is ordered after
};

template <class Visit>
void MemoryOrder::from_latest(bool reads, Visit&& visit) {
  size_t r = reads ? reads_.size() : 0, w = writes_.size();
  while (r + w > 0) {
    if (r > 0 && (w == 0 || reads_[r - 1].instruction > writes_[w - 1].instruction)) {
      visit(reads_[--r]);
    } else {
      visit(writes_[--w]);
    }
  }
}

template <class Order>
void MemoryOrder::add(uint32_t instruction, Order&& order) {
  switch (describe(instruction)) {
    case Kind::kNothing:
      return;
    case Kind::kOrdersAll: {
      // Asynchronous work is waited for by itself: its edges are longer than a detour.
      Slots implied;
      from_latest(true, [&](const MemoryAccess& b) {
        if (implied.has(b.slot) && !is_async(b.instruction)) return;
        order(b.instruction, instruction);
        implied.add(before_[b.slot]);
      });
      if (last_fence_ != kNone) order(last_fence_, instruction);
      reads_.clear();
      writes_.clear();
      used_ = {};
      last_fence_ = instruction;
      return;
    }
    case Kind::kAccess:
      break;
  }
  Slots implied;
  bool after_access = false;  // all of which are after the fence
  for (const MemoryAccess& a : now_)
    from_latest(a.writes || a.ordered, [&](const MemoryAccess& b) {
      if (implied.has(b.slot) || !conflicts(*facts_->module, a, b)) return;
      order(b.instruction, instruction);
      after_access = true;
      implied.set(b.slot);
      implied.add(before_[b.slot]);
    });
  if (last_fence_ != kNone && !after_access) order(last_fence_, instruction);
  for (MemoryAccess& a : now_) {
    unsigned slot = 0;
    while (used_.has(slot)) ++slot;
    a.slot = static_cast<uint16_t>(slot);
    used_.set(slot);
    before_[slot] = implied;
    (a.writes ? writes_ : reads_).push_back(a);
  }
  fold(reads_, order);
  fold(writes_, order);
}

template <class Order>
void MemoryOrder::fold(std::vector<MemoryAccess>& list, Order&& order) {
  if (list.size() <= kMost) return;
  folded = true;
  MemoryAccess& last = list[kMost / 2 - 1];
  Slots gone;
  for (size_t k = 0; k + 1 < kMost / 2; ++k) {
    if (list[k].instruction < last.instruction && !before_[last.slot].has(list[k].slot))
      order(list[k].instruction, last.instruction);
    last.spaces |= list[k].spaces;
    last.ordered |= list[k].ordered;
    gone.set(list[k].slot);
  }
  used_.remove(gone);
  for (const auto* pending : {&reads_, &writes_})
    for (const MemoryAccess& a : *pending) before_[a.slot].remove(gone);
  last.size = 0;
  last.root = {};
  list.erase(list.begin(), list.begin() + kMost / 2 - 1);
}

}  // namespace pitot::analysis
