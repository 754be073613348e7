// Local memory that a function takes while it runs: alloca, stacksave, stackrestore (PTX ISA,
// "Stack Manipulation").
//
// The lanes of an activation share its stack: each of them gets as much as the one that asks for
// most. A restore takes memory back only when all lanes of the activation make it together.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/families.h"
#include "emulator/warp.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;

// Op::imm: the alignment.
void allocate(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  const auto align = static_cast<uint64_t>(op.imm);
  const uint64_t at = (w.frame->local_top + align - 1) / align * align;
  uint64_t most = 0;
  for_each_lane(mask, [&](unsigned l) { most = std::max(most, w.get(slots[1], l)); });
  if (most > UINT32_MAX / 2 ||
      w.local(static_cast<unsigned>(std::countr_zero(mask)), at, most) == nullptr) {
    w.fault(FaultKind::kOutOfBounds, op, mask, at,
            fmt::format("alloca of {} bytes, which local memory does not have", most));
    return;
  }
  w.frame->local_top = static_cast<uint32_t>(at + most);
  w.forget_local(mask, at, at + most);
  for_each_lane(mask, [&](unsigned l) { w.set(slots[0], l, at); });
}

void save(Warp& w, const Op& op, LaneMask mask) {
  const Slot& d = w.program().slots_of(op)[0];
  for_each_lane(mask, [&](unsigned l) { w.set(d, l, w.frame->local_top); });
}

void restore(Warp& w, const Op& op, LaneMask mask) {
  const Slot& s = w.program().slots_of(op)[0];
  LaneMask here = 0;  // lanes in this activation or in what it called
  for (const Fragment& f : w.fragments())
    for (const Frame* x = f.frame.get(); x != nullptr; x = x->parent.get())
      if (x == w.frame) here |= f.lanes;
  if ((here & ~mask) != 0) return;
  uint64_t top = 0;
  for_each_lane(mask, [&](unsigned l) { top = std::max(top, w.get(s, l)); });
  const uint64_t least = w.frame->local_base + w.frame->code->local_bytes;
  if (top < least || top > w.frame->local_top) {
    w.fault(FaultKind::kIllegal, op, mask, top, "stackrestore of what no stacksave gave");
    return;
  }
  w.frame->local_top = static_cast<uint32_t>(top);
}

}  // namespace

bool select_stack(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kAlloca:
      s.op.imm = s.operands.size() > 2 ? s.lop3_table : 8;
      s.op.run = allocate;
      return s.op.imm > 0 && std::has_single_bit(static_cast<uint64_t>(s.op.imm));
    case Mnemonic::kStacksave:
      s.op.run = save;
      return true;
    case Mnemonic::kStackrestore:
      s.op.run = restore;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
