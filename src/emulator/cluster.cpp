// Blocks of one cluster: whose shared memory an address means, and the barrier of the cluster (PTX
// ISA, "barrier.cluster").
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/gang.h"
#include "emulator/race_order.h"

namespace pitot::emulator {

bool Gang::same_cluster(const Block& a, const Block& b) const {
  const Dim3& c = state.launch.cluster;
  for (size_t i = 0; i < 3; ++i)
    if (a.index()[i] / c[i] != b.index()[i] / c[i]) return false;
  return true;
}

Block* Gang::peer(const Block& of, uint64_t rank) {
  for (auto& b : blocks_)
    if (b->rank() == rank && same_cluster(*b, of)) return b.get();
  return nullptr;
}

Block* Gang::shared_owner(Block& own, uint64_t& address) {
  if (state.launch.cluster == Dim3{1, 1, 1}) return address < kSharedStride ? &own : nullptr;
  const uint64_t rank = address / kSharedStride;
  address %= kSharedStride;
  return rank == own.rank() ? &own : peer(own, rank);
}

// The phase ends when every thread of the cluster that has not exited has arrived.
void Gang::complete_cluster(const Block& block) {
  bool any = false;
  for (auto& b : blocks_) {
    if (!same_cluster(*b, block)) continue;
    for (size_t i = 0; i < b->warps().size(); ++i) {
      if ((b->warps()[i]->live() & ~b->cluster_arrived[i]) != 0) return;
      any |= b->cluster_arrived[i] != 0;
    }
  }
  if (!any) return;
  if (block.order != nullptr) peer(block, 0)->order->cluster_complete();
  for (auto& b : blocks_)
    if (same_cluster(*b, block))
      std::fill(b->cluster_arrived.begin(), b->cluster_arrived.end(), LaneMask{0});
}

std::string Gang::explain_cluster(const Block& block) const {
  uint64_t arrived = 0, live = 0;
  for (const auto& b : blocks_) {
    if (!same_cluster(*b, block)) continue;
    for (size_t i = 0; i < b->warps().size(); ++i) {
      live += static_cast<uint64_t>(std::popcount(b->warps()[i]->live()));
      arrived +=
          static_cast<uint64_t>(std::popcount(b->cluster_arrived[i] & b->warps()[i]->live()));
    }
  }
  return fmt::format("the barrier of the cluster waited by {} of {} threads", arrived, live);
}

bool Gang::settle_cluster(Warp& w) {
  bool moved = false;
  auto& fragments = w.fragments();
  LaneMask& arrived = w.block.cluster_arrived[w.index];
  LaneMask& owed = w.block.cluster_owed[w.index];
  for (size_t i = 0; i < fragments.size(); ++i) {
    if (fragments[i].state != FragmentState::kCluster) continue;
    for (size_t j = fragments.size() - 1; j > i; --j) {
      const Fragment& o = fragments[j];
      if (o.state != FragmentState::kCluster || o.pc != fragments[i].pc ||
          o.frame != fragments[i].frame)
        continue;
      fragments[i].lanes |= o.lanes;
      fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(j));
    }
    Fragment& f = fragments[i];
    const Op& op = state.program.ops[f.pc];
    if ((op.variant & kBarrierAligned) != 0 && f.lanes != w.live()) {
      if (std::any_of(fragments.begin(), fragments.end(), [&](const Fragment& x) {
            return x.state == FragmentState::kWait ||
                   (x.state == FragmentState::kCluster &&
                    (state.program.ops[x.pc].variant & kBarrierAligned) == 0);
          }))
        continue;
      w.fault(FaultKind::kBarrierDivergence, op, f.lanes, 0,
              fmt::format("only part of the warp reaches this barrier: {}", w.where()));
      return false;
    }
    if ((op.variant & kBarrierArrive) != 0) {
      if ((owed & f.lanes) != 0) {
        w.fault(FaultKind::kIllegal, op, owed & f.lanes, 0,
                "arrives at the barrier of the cluster again without having waited");
        return false;
      }
      arrived |= f.lanes;
      owed |= f.lanes;
      if (w.block.order != nullptr &&
          !state.program.instruction(op).opcode->has_mod(ptx::Mod::kRelaxed))
        peer(w.block, 0)->order->cluster_arrive(*w.block.order, w.index, f.lanes);
    } else {
      if ((f.lanes & ~owed) != 0) {
        w.fault(FaultKind::kIllegal, op, f.lanes & ~owed, 0,
                "waits at the barrier of the cluster without having arrived");
        return false;
      }
      complete_cluster(w.block);
      if ((arrived & f.lanes) != 0) continue;
      owed &= ~f.lanes;
      if (w.block.order != nullptr)
        peer(w.block, 0)
            ->order->cluster_wait(*w.block.order, w.index, f.lanes, f.lanes == w.live());
    }
    f.state = FragmentState::kReady;
    ++f.pc;
    moved = true;
  }
  return moved;
}

}  // namespace pitot::emulator
