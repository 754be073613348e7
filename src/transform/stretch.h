// Stretches: statements of one block that may change places among each other, with the order that
// they must keep, and their text in another order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transform/edit.h"
#include "transform/inlined_places.h"

namespace pitot::transform {

// Instructions [first, last) of the function, all of one block.
struct Stretch {
  uint32_t first = 0, last = 0;
};

// Blocks are cut where text stands that has to stay where it is (braces, declarations, .pragma,
// labels that are used), and at instructions that must keep their place among all others: those
// that end the block, calls with their parameters, register-asynchronous ones (wgmma, tcgen05), and
// those that the instruction table does not know. Stretches of fewer than two are left out.
std::vector<Stretch> stretches(Subject& subject, Edit& edit);

// What must stay in order within a stretch: DepGraph's edges, and more of it than a thread needs by
// itself. Operations that order memory, are atomic, volatile or asynchronous keep their place
// among each other and among all accesses; those that lanes do together among each other and among
// the ordering ones. Nodes are counted from the first of the stretch.
class StretchOrder {
 public:
  void build(Subject& subject, const Stretch& stretch);

  uint32_t size() const { return static_cast<uint32_t>(begin_before_.size()) - 1; }
  uint32_t instruction(uint32_t node) const { return first_ + node; }
  std::span<const uint32_t> before(uint32_t node) const { return of(begin_before_, before_, node); }
  std::span<const uint32_t> after(uint32_t node) const { return of(begin_after_, after_, node); }
  // By entry of before(node): whether it only stands for order among plain reads. Such edges are
  // made in very long blocks (DepGraph::folded), and where depends on the order of the block.
  std::span<const uint8_t> loose_before(uint32_t node) const {
    return std::span(loose_before_)
        .subspan(begin_before_[node], begin_before_[node + 1] - begin_before_[node]);
  }
  // Touches memory or takes part in an order beyond registers.
  bool outward(uint32_t node) const { return outward_[node] != 0; }

 private:
  static std::span<const uint32_t> of(const std::vector<uint32_t>& begin,
                                      const std::vector<uint32_t>& items, uint32_t node) {
    return std::span(items).subspan(begin[node], begin[node + 1] - begin[node]);
  }
  void link(uint32_t from, uint32_t to, bool loose = false) { edges_.push_back({from, to, loose}); }

  uint32_t first_ = 0;
  std::vector<uint32_t> begin_before_, before_, begin_after_, after_;
  std::vector<uint8_t> loose_before_, outward_;
  struct Link {
    uint32_t from = 0, to = 0;
    bool loose = false;
  };
  std::vector<Link> edges_;
};

// Puts the nodes of a stretch in the order given. Comments in front of a statement and behind it go
// with it; .loc marks are written where the place in the source changes, and behind those that they
// name; labels that nothing branches to stay where they are. Counts as one change.
void write_order(Subject& subject, Edit& edit, const Stretch& stretch,
                 std::span<const uint32_t> order, const InlinedPlaces& places);

}  // namespace pitot::transform
