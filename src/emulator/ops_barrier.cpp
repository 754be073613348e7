// Barriers of the block, fences, and what only takes time.
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/gang.h"
#include "emulator/member_mask.h"
#include "emulator/race_check.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;

void nothing(Warp&, const Op&, LaneMask) {}

void warp_barrier(Warp& w, const Op& op, LaneMask mask) {
  member_masks_hold(w, op, mask, Members(w, op, mask));
}

// Memory is sequentially consistent here: fences order nothing that is not ordered, but the race
// check wants to see them.
void fence(Warp& w, const Op& op, LaneMask mask) {
  if (w.block.order != nullptr) w.block.gang().races->fence(w, op, mask);
}

bool barrier(Selection& s) {
  uint16_t v = 0;
  if (s.has(Mod::kArrive)) v |= kBarrierArrive;
  if (s.has(Mod::kRed)) {
    if (s.has(Mod::kPopc)) v |= kBarrierPopc;
    if (s.has(Mod::kAnd)) v |= kBarrierAnd;
    if (s.has(Mod::kOr)) v |= kBarrierOr;
  }
  // bar is barrier.aligned.
  if (s.opcode.mnemonic == Mnemonic::kBar || s.has(Mod::kAligned)) v |= kBarrierAligned;
  s.op.flow = Flow::kBarrier;
  s.op.variant = v;
  return true;
}

}  // namespace

bool select_barrier(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kBar:
      if (s.has(Mod::kWarp)) {
        s.op.flow = Flow::kConvergent;
        s.op.variant = 0;
        s.op.run = warp_barrier;
        return s.slots.size() == 1 && s.slots[0].bits == 32;
      }
      return barrier(s);
    case Mnemonic::kBarrier:
      return !s.has(Mod::kCluster) && barrier(s);
    case Mnemonic::kMembar:
    case Mnemonic::kFence:
      s.op.run = fence;
      return true;
    case Mnemonic::kNanosleep:
    case Mnemonic::kPmevent:
    case Mnemonic::kSetmaxnreg:
    case Mnemonic::kGriddepcontrol:
      s.op.run = nothing;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
