// clusterlaunchcontrol: a block asks whether the launch of another can be cancelled. The answer may
// always be no, and here it is, since all blocks run: 16 bytes of zeros (PTX ISA,
// "clusterlaunchcontrol").
#include "emulator/access.h"
#include "emulator/block.h"
#include "emulator/families.h"
#include "emulator/gang.h"
#include "emulator/mbarrier.h"
#include "emulator/transfer.h"

namespace pitot::emulator {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

void answer(Warp& w, const Op& op, unsigned lane, uint64_t to, uint64_t barrier) {
  Bytes b;
  b.resize(16);
  bool odd = false;
  if (write_run(w, op, lane, Space::kShared, to, 16, b, 0) &&
      complete_bytes(w, op, lane, barrier, 16, &odd))
    mark_until(w, op, to, 16, barrier, odd, true);
}

// Op::variant: 1 when every block of the cluster gets the answer. Op::target: the space.
void try_cancel(Warp& w, const Op& op, LaneMask mask) {
  const auto operands = w.program().operands_of(op);
  const auto space = static_cast<Space>(op.target);
  Access to, barrier;
  read_addresses(w, op, operands[0], mask, to);
  read_addresses(w, op, operands[1], mask, barrier);
  for_each_lane(mask, [&](unsigned l) {
    if (w.stop || !aligned_run(w, op, l, to.address[l], 16, "the answer's address")) return;
    const uint64_t at = shared_address(space, to.address[l]);
    const uint64_t told = shared_address(space, barrier.address[l]);
    if (op.variant == 0) return answer(w, op, l, at, told);
    for (uint64_t rank = 0; w.block.gang().peer(w.block, rank) != nullptr && !w.stop; ++rank)
      answer(w, op, l, rank * kSharedStride + at % kSharedStride,
             rank * kSharedStride + told % kSharedStride);
  });
}

void is_canceled(Warp& w, const Op& op, LaneMask mask) { w.predicate(op.d) &= ~mask; }

void first_block(Warp& w, const Op& op, LaneMask mask) {
  w.fault(FaultKind::kIllegal, op, mask, 0, "the first block of a launch that was not cancelled");
}

}  // namespace

bool select_launch_control(Selection& s) {
  if (s.opcode.mnemonic != Mnemonic::kClusterlaunchcontrol) return false;
  if (s.has(Mod::kTryCancel)) {
    s.op.variant = s.has(Mod::kMulticastClusterAll) ? 1 : 0;
    s.op.target = static_cast<uint32_t>(s.opcode.space);
    s.op.run = try_cancel;
    return s.operands.size() == 2;
  }
  s.op.run = s.has(Mod::kIsCanceled) ? is_canceled : first_block;
  return true;
}

}  // namespace pitot::emulator
