// Undefined values on their way through registers: reported where they first matter, not where they
// are made (a masked load whose value nobody uses is fine).
#include "emulator/block.h"

namespace pitot::emulator {

void Block::track(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  auto& undefined = w.frame->undefined;
  LaneMask bad = w.taint;
  w.taint = 0;
  if (op.tracks) return;
  for (const Slot& s : slots)
    if (s.read && s.reg != UINT32_MAX) bad |= undefined[s.reg];
  bad &= mask;
  for (const Slot& s : slots)
    if (s.written && s.reg != UINT32_MAX) undefined[s.reg] = (undefined[s.reg] & ~mask) | bad;
}

bool Block::undefined_guard(Warp& w, const Op& op, LaneMask lanes) {
  w.fault(FaultKind::kUninitialised, op, lanes, 0,
          "the guard comes from a value that nothing wrote");
  return false;
}

}  // namespace pitot::emulator
