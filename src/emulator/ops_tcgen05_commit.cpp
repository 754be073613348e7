// tcgen05.commit: an mbarrier learns that the thread's operations are done (PTX ISA,
// "tcgen05.commit"). They are when they are issued, so it arrives at once.
#include "emulator/access.h"
#include "emulator/families.h"
#include "emulator/mbarrier.h"
#include "emulator/tcgen05.h"

namespace pitot::emulator {
namespace {

using ptx::Mod;
using ptx::Space;

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
  if (!resolve(w, op, mask, a)) return;
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop) return;
    bool odd = false;
    if (change_mbarrier(w, op, l, a.at[l], a.address[l], [&](Mbarrier& m) {
          odd = m.odd;
          return m.arrive(1);
        }))
      note_arrival(w, l, a.address[l], odd);
  });
}

}  // namespace

bool select_tcgen05_commit(Selection& s) {
  if (s.has(Mod::kMulticastCluster) || s.operands.size() != 1) return false;
  s.op.run = commit;
  return true;
}

}  // namespace pitot::emulator
