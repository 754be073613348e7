// tcgen05.commit: an mbarrier learns that the thread's operations are done (PTX ISA,
// "tcgen05.commit"). They are when they are issued, so it arrives at once; with
// .multicast::cluster at the same place of every block that the mask names.
#include "emulator/access.h"
#include "emulator/families.h"
#include "emulator/mbarrier.h"
#include "emulator/memory.h"
#include "emulator/tcgen05.h"
#include "emulator/transfer.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Space;

void arrive(Warp& w, const Op& op, Access& a, unsigned lane) {
  bool odd = false;
  if (change_mbarrier(w, op, lane, a.at[lane], a.address[lane], [&](Mbarrier& m) {
        odd = m.odd;
        return m.arrive(1);
      }))
    note_arrival(w, lane, a.address[lane], odd);
}

// Op::imm: 1 with a mask of blocks.
void commit(Warp& w, const Op& op, LaneMask mask) {
  Access a;
  a.space = Space::kShared;
  a.kind = AccessKind::kAtomic;
  a.bytes = 8;
  read_addresses(w, op, w.program().operands_of(op)[0], mask, a);
  if (w.stop) return;
  // Without a state space the address is generic. Triton gives a shared address there, and the
  // hardware takes it; nothing else lies so low.
  for_each_lane(mask, [&](unsigned l) {
    if (space_of(a.address[l]) == Space::kShared) a.address[l] -= kSharedWindow;
  });
  if (op.imm == 0) {
    if (!resolve(w, op, mask, a)) return;
    for_each_lane(mask, [&](unsigned l) {
      if (!w.stop) arrive(w, op, a, l);
    });
    return;
  }
  const Slot& blocks = w.program().operand(op, 1)[0];
  for_each_lane(mask, [&](unsigned l) {
    const uint64_t offset = a.address[l] % kSharedStride;
    for_each_block(w, op, l, w.get(blocks, l), [&](uint64_t base) {
      a.address[l] = base + offset;
      if (!resolve(w, op, LaneMask{1} << l, a)) return false;
      arrive(w, op, a, l);
      return !w.stop;
    });
  });
}

}  // namespace

bool select_tcgen05_commit(Selection& s) {
  s.op.imm = s.has(Mod::kMulticastCluster) ? 1 : 0;
  if (s.operands.size() != (s.op.imm != 0 ? 2u : 1u)) return false;
  s.op.run = commit;
  return true;
}

}  // namespace pitot::emulator
