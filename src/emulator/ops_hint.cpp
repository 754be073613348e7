// What only tells the caches something, and fns, which is a search in a word.
//
// A policy is opaque and changes no result: it is zero here. discard leaves the bytes as they are,
// which is one of the values that they may have.
#include "emulator/families.h"
#include "emulator/vector_op.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;

void nothing(Warp&, const Op&, LaneMask) {}

void policy(Warp& w, const Op& op, LaneMask mask) {
  store_lanes<uint64_t>(w.u64(op.d), mask, [](unsigned) { return uint64_t{0}; });
}

// The place of the n-th set bit of a mask, from `base` up, or down where n is negative.
uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  if (base > 31) return UINT32_MAX;
  if (offset == 0) return mask >> base & 1 ? base : UINT32_MAX;
  int64_t left = (offset < 0 ? -static_cast<int64_t>(offset) : int64_t{offset}) - 1;
  for (int32_t at = static_cast<int32_t>(base); at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if ((mask >> at & 1) != 0 && left-- == 0) return static_cast<uint32_t>(at);
  return UINT32_MAX;
}

void fns(Warp& w, const Op& op, LaneMask mask) {
  const uint32_t* a = w.u32(op.a);
  const uint32_t* b = w.u32(op.b);
  const int32_t* c = w.s32(op.c);
  store_lanes<uint32_t>(w.u32(op.d), mask, [&](unsigned i) { return nth_set(a[i], b[i], c[i]); });
}

}  // namespace

bool select_hint(Selection& s) {
  switch (s.opcode.mnemonic) {
    case Mnemonic::kCreatepolicy:
      if (s.slots[0].bits != 64) return false;
      s.op.run = policy;
      return true;
    case Mnemonic::kDiscard:
      s.op.run = nothing;
      return true;
    case Mnemonic::kFns:
      if (s.slots.size() != 4) return false;
      for (const Slot& slot : s.slots)
        if (slot.bits != 32) return false;
      s.op.run = fns;
      return true;
    default:
      return false;
  }
}

}  // namespace pitot::emulator
