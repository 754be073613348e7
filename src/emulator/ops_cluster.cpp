// Addresses in the shared memory of other blocks of the cluster, and the barrier of the cluster.
#include <fmt/format.h>

#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/memory.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

// False after a fault: a generic address that is none of shared memory.
bool shared_addresses(Warp& w, const Op& op, LaneMask mask, const Slot& a) {
  if (op.imm == 0) return true;
  LaneMask bad = 0;
  for_each_lane(mask, [&](unsigned l) {
    if (space_of(w.get(a, l)) != Space::kShared) bad |= LaneMask{1} << l;
  });
  if (bad == 0) return true;
  const uint64_t address = w.get(a, static_cast<unsigned>(std::countr_zero(bad)));
  w.fault(FaultKind::kIllegal, op, bad, address,
          fmt::format("{:#x} is no address of shared memory", address));
  return false;
}

// Op::imm: 1 for generic addresses.
void mapa(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  if (!shared_addresses(w, op, mask, slots[1])) return;
  const uint64_t window = op.imm != 0 ? kSharedWindow : 0;
  for_each_lane(mask, [&](unsigned l) {
    const uint64_t offset = (w.get(slots[1], l) - window) % kSharedStride;
    w.set(slots[0], l, window + w.get(slots[2], l) * kSharedStride + offset);
  });
}

void getctarank(Warp& w, const Op& op, LaneMask mask) {
  const auto slots = w.program().slots_of(op);
  if (!shared_addresses(w, op, mask, slots[1])) return;
  const uint64_t window = op.imm != 0 ? kSharedWindow : 0;
  for_each_lane(
      mask, [&](unsigned l) { w.set(slots[0], l, (w.get(slots[1], l) - window) / kSharedStride); });
}

}  // namespace

bool select_cluster(Selection& s) {
  const Mnemonic m = s.opcode.mnemonic;
  if (m == Mnemonic::kBarrier && s.has(Mod::kCluster)) {
    s.op.flow = Flow::kCluster;
    s.op.variant = static_cast<uint16_t>((s.has(Mod::kArrive) ? kBarrierArrive : 0) |
                                         (s.has(Mod::kAligned) ? kBarrierAligned : 0));
    return true;
  }
  if (m != Mnemonic::kMapa && m != Mnemonic::kGetctarank) return false;
  if (s.slots.size() != (m == Mnemonic::kMapa ? 3u : 2u)) return false;
  for (const Slot& slot : s.slots)
    if (slot.bits < 32) return false;
  const bool generic = s.opcode.space == Space::kNone;
  if (generic && s.slots[1].bits != 64) return false;  // 32-bit addresses have no windows
  s.op.imm = generic ? 1 : 0;
  s.op.run = m == Mnemonic::kMapa ? mapa : getctarank;
  return true;
}

}  // namespace pitot::emulator
