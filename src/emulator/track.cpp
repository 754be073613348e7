// Undefined values on their way through registers: reported where they first matter, not where they
// are made (a masked load whose value nobody uses is fine).
#include "emulator/block.h"

namespace pitot::emulator {

void Block::track(Warp& w, const Op& op, LaneMask mask) {
  LaneMask bad = w.taint;
  w.taint = 0;
  if (op.tracks) return;
  LaneMask* const undefined = w.frame->undefined.data();
  const uint32_t* reg = w.program().regs.data() + op.first_reg;
  for (unsigned k = 0; k < op.regs_read; ++k) bad |= undefined[*reg++];
  bad &= mask;
  for (unsigned k = 0; k < op.regs_written; ++k, ++reg)
    undefined[*reg] = (undefined[*reg] & ~mask) | bad;
}

bool Block::undefined_guard(Warp& w, const Op& op, LaneMask lanes) {
  w.fault(FaultKind::kUninitialised, op, lanes, 0,
          "the guard comes from a value that nothing wrote");
  return false;
}

}  // namespace pitot::emulator
