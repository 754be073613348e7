// Operations of a warp whose lanes name each other: who takes part, and which results are
// undefined because the value of another lane is.
#pragma once

#include "emulator/warp.h"

namespace pitot::emulator {

// The member masks of a .sync operation; without one, the lanes that execute it together.
class Members {
 public:
  Members(Warp& w, const Op& op, LaneMask executing) : executing_(executing) {
    if (op.variant != kNoMemberMask)
      masks_ = w.u32(w.program().slots[op.first_slot + op.variant].at);
  }

  // Lanes that take part with this one.
  LaneMask of(unsigned lane) const {
    return masks_ != nullptr ? masks_[lane] & executing_ : executing_;
  }
  // Whether all executing lanes give this one's mask.
  bool uniform() const {
    if (masks_ == nullptr) return true;
    const uint32_t first = masks_[static_cast<unsigned>(std::countr_zero(executing_))];
    LaneMask other = 0;
    for (unsigned i = 0; i < kLanes; ++i)
      other |= static_cast<LaneMask>(masks_[i] != first ? 1 : 0) << i;
    return (other & executing_) == 0;
  }
  LaneMask given(unsigned lane) const { return masks_ != nullptr ? masks_[lane] : executing_; }

 private:
  LaneMask executing_;
  const uint32_t* masks_ = nullptr;
};

// False after a fault: a lane that is not in its own mask, or two lanes that take part together
// with different masks (PTX ISA: the behaviour is undefined).
bool member_masks_hold(Warp& w, const Op& op, LaneMask executing, const Members& members);

// Lanes whose value in the slot is undefined; none unless that is tracked.
LaneMask undefined_in(const Warp& w, const Slot& slot);
void set_undefined(Warp& w, const Slot& slot, LaneMask written, LaneMask undefined);

}  // namespace pitot::emulator
