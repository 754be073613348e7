// Scalar accesses that one vector access could do, and whether its alignment is proved.
#include <algorithm>
#include <tuple>

#include "analysis/access.h"

namespace pitot::analysis {
namespace {

constexpr uint32_t kWidestBytes = 16;

// Anything between the members that orders memory or may touch the same bytes.
bool hinders(const ptx::Opcode& o, bool loads) {
  constexpr uint32_t kAlways = ptx::kAtomic | ptx::kRed | ptx::kFence | ptx::kBarrier | ptx::kCall |
                               ptx::kAsync | ptx::kVolatile | ptx::kStore;
  return (o.effects & kAlways) != 0 || (!loads && o.has(ptx::kLoad));
}

class GroupFinder {
 public:
  GroupFinder(const AccessTable& table, const FlowFacts& flow, const AffineForms& forms)
      : table_(table), flow_(flow), forms_(forms) {}

  std::vector<VectorGroup> run() {
    const auto& all = table_.accesses;
    for (uint32_t n = 0; n < all.size(); ++n)
      if (candidate(all[n])) order_.push_back(n);
    std::sort(order_.begin(), order_.end(),
              [&](uint32_t x, uint32_t y) { return compare(all[x], all[y]) < 0; });
    for (size_t first = 0; first < order_.size();) {
      size_t last = first + 1;
      while (last < order_.size() && follows(all[order_[last - 1]], all[order_[last]])) ++last;
      if (last - first > 1) cut(first, last);
      first = last;
    }
    return std::move(groups_);
  }

 private:
  bool candidate(const MemoryRequest& a) const {
    if (a.kind != AccessKind::kLoad && a.kind != AccessKind::kStore) return false;
    return a.address != kNone && a.vector == 1 && a.bytes != 0 && 2 * a.bytes <= kWidestBytes &&
           !opcode(a)->has(ptx::kVolatile);
  }
  const ptx::Opcode* opcode(const MemoryRequest& a) const {
    return flow_.instruction(a.instruction).opcode;
  }
  ValueId guard(const MemoryRequest& a) const {
    return flow_.read(a.instruction, kImplicitOperand);
  }

  // By block, spelling, guard and terms, then by constant.
  int compare(const MemoryRequest& x, const MemoryRequest& y) const {
    auto key = [&](const MemoryRequest& a) {
      return std::tuple(flow_.cfg.block_of[a.instruction], reinterpret_cast<uintptr_t>(opcode(a)),
                        guard(a), flow_.instruction(a.instruction).guard_negated);
    };
    auto kx = key(x), ky = key(y);
    if (kx != ky) return kx < ky ? -1 : 1;
    auto tx = forms_.terms(x.address), ty = forms_.terms(y.address);
    auto less = [](const Term& s, const Term& t) {
      return std::pair(s.monomial, s.coefficient) < std::pair(t.monomial, t.coefficient);
    };
    if (std::lexicographical_compare(tx.begin(), tx.end(), ty.begin(), ty.end(), less)) return -1;
    if (std::lexicographical_compare(ty.begin(), ty.end(), tx.begin(), tx.end(), less)) return 1;
    int64_t cx = forms_.form(x.address).constant, cy = forms_.form(y.address).constant;
    if (cx != cy) return cx < cy ? -1 : 1;
    return x.instruction < y.instruction ? -1 : x.instruction > y.instruction ? 1 : 0;
  }

  // y is the next element after x.
  bool follows(const MemoryRequest& x, const MemoryRequest& y) const {
    if (flow_.cfg.block_of[x.instruction] != flow_.cfg.block_of[y.instruction] ||
        opcode(x) != opcode(y) || guard(x) != guard(y) ||
        flow_.instruction(x.instruction).guard_negated !=
            flow_.instruction(y.instruction).guard_negated)
      return false;
    int64_t distance = 0;
    return forms_.constant_difference(y.address, x.address, distance) && distance == x.bytes;
  }

  bool unhindered(size_t first, size_t count) const {
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t k = first; k < first + count; ++k) {
      low = std::min(low, access(k).instruction);
      high = std::max(high, access(k).instruction);
    }
    for (uint32_t i = low; i <= high; ++i) {
      bool member = false;
      for (size_t k = first; k < first + count; ++k) member = member || access(k).instruction == i;
      if (!member && hinders(*flow_.instruction(i).opcode, access(first).reads())) return false;
    }
    return true;
  }

  const MemoryRequest& access(size_t k) const { return table_.accesses[order_[k]]; }

  // Cuts a run of neighbours into groups of four and two that start aligned where that is proved.
  void cut(size_t first, size_t last) {
    while (last - first >= 2) {
      uint32_t bytes = access(first).bytes;
      size_t most = last - first >= 4 && 4 * bytes <= kWidestBytes ? 4 : 2;
      size_t count = most;
      if (access(first).alignment < count * bytes) {
        if (most == 4 && access(first).alignment >= 2 * bytes) {
          count = 2;
        } else if (last - first > 2 && access(first + 1).alignment >= 2 * bytes) {
          ++first;  // the run begins in the middle of an aligned piece
          continue;
        }
      }
      add(first, count);
      first += count;
    }
  }

  void add(size_t first, size_t count) {
    VectorGroup g;
    for (size_t k = first; k < first + count; ++k) g.accesses.push_back(order_[k]);
    const MemoryRequest& a = access(first);
    g.bytes = static_cast<uint32_t>(count) * a.bytes;
    std::string proved = "its address is proved a multiple of " + std::to_string(a.alignment);
    if (a.base != kNone) proved = forms_.to_string(a.base) + ": " + proved;
    g.hindered = !unhindered(first, count);
    if (g.hindered) {
      g.reason = "memory operations in between may touch the same bytes";
    } else if (a.alignment < g.bytes) {
      g.reason = proved + ", " + std::to_string(g.bytes) + " are needed";
    } else {
      g.legal = true;
      g.reason = proved;
    }
    groups_.push_back(std::move(g));
  }

  const AccessTable& table_;
  const FlowFacts& flow_;
  const AffineForms& forms_;
  std::vector<uint32_t> order_;
  std::vector<VectorGroup> groups_;
};

}  // namespace

std::vector<VectorGroup> AccessTable::vector_groups(const FlowFacts& flow,
                                                    const AffineForms& forms) const {
  return GroupFinder(*this, flow, forms).run();
}

}  // namespace pitot::analysis
