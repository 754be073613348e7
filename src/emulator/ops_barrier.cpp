// Barriers of the block, fences, and what only takes time.
#include "emulator/block.h"
#include "emulator/families.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;

// Memory is sequentially consistent here: fences order nothing that is not ordered.
void nothing(Warp&, const Op&, LaneMask) {}

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
        s.op.run = nothing;
        return s.slots.size() == 1;
      }
      return barrier(s);
    case Mnemonic::kBarrier:
      return !s.has(Mod::kCluster) && barrier(s);
    case Mnemonic::kMembar:
    case Mnemonic::kFence:
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
