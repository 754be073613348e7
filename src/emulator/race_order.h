// What orders the threads of a block, among themselves and with other blocks: the happens-before
// relation of an execution, as far as the race check follows it.
//
// Ordered: a lane's own accesses; threads that meet at a barrier (bar, barrier with ids and counts,
// arrive before sync), at barrier.cluster, at a convergent operation of a warp (bar.warp.sync; also
// shfl, vote, match, redux, elect and matrix operations, although the ISA promises no memory order
// of those); arrivals at an mbarrier before a wait that saw the phase complete, copies that
// complete on one included; a fence before an atomic, volatile or relaxed write before a read of it
// that is one of these; .release and .acquire. A read acquires at once: that the fence behind it is
// missing is not seen. Before sm_70 the lanes of a warp run in step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/race_clock.h"
#include "emulator/race_shadow.h"

namespace pitot::emulator {

// What strong writes of one address have published, for the block and for everybody.
struct PublishedFlag {
  Clock device, block;
  uint64_t block_number = 0;  // that `block` is for
};
using PublishedFlags = std::unordered_map<uint64_t, PublishedFlag>;

class BlockOrder {
 public:
  // `start`: what everybody knows at first. `lockstep`: the lanes of a warp run in step.
  BlockOrder(uint64_t block, size_t warps, size_t shared_bytes, const TicksPtr& start,
             bool lockstep);

  uint64_t number() const { return block_; }
  // The stamp of an access that the warp makes now.
  uint64_t stamp(uint32_t warp) const {
    return block_ << kStampBlock | uint64_t{warp} << kStampWarp | warps_[warp].tick;
  }
  // Of these lanes of a stamp's warp: those whose access is not ordered before what this lane does
  // now.
  LaneMask unordered(uint32_t warp, unsigned lane, uint64_t stamp, LaneMask lanes) const {
    const auto tick = static_cast<uint32_t>(stamp & kStampTicks);
    const auto other = static_cast<uint32_t>(stamp >> kStampWarp & 31);
    const WarpState& w = warps_[warp];
    const Knowledge& k = known(w, lane);
    if (stamp >> kStampBlock != block_) return unordered_outside(k, stamp, lanes);
    if (other == warp) {
      if (lockstep_ || tick <= w.together) return 0;
      lanes &= ~(LaneMask{1} << lane);
    }
    if (lanes == 0 || tick <= k.own->least[other]) return 0;
    return unordered_in(*k.own, other, tick, lanes);
  }

  // An access that a lane makes now, and the same of another lane.
  Touch touch(uint32_t warp, unsigned lane) const {
    Touch t{*this, warp, lane, stamp(warp)};
    t.together = lockstep_ ? UINT32_MAX : warps_[warp].together;
    look_up(t, known(warps_[warp], lane));
    return t;
  }
  void turn_to(Touch& t, unsigned lane) const {
    t.lane = lane;
    if (!warps_[t.warp].uniform) look_up(t, known(warps_[t.warp], lane));
  }

  // Lanes of a warp meet; `whole`: nobody else of the warp is left.
  void meet(uint32_t warp, LaneMask lanes, bool whole);
  // The threads come to a barrier, and leave it once all are there. `whole` as above.
  void arrive(uint32_t barrier, uint32_t warp, LaneMask lanes);
  void leave(uint32_t barrier, uint32_t warp, LaneMask lanes, bool whole);
  void reset(uint32_t barrier) {
    barriers_[barrier].clear();
    fenced_barriers_[barrier].clear();
  }
  // An mbarrier of this block's shared memory, in the phase of a parity; `by`: the block whose warp
  // it is.
  void mbarrier_arrive(uint64_t offset, bool odd, BlockOrder& by, uint32_t warp, unsigned lane);
  void mbarrier_wait(uint64_t offset, bool odd, BlockOrder& by, uint32_t warp, LaneMask lanes,
                     bool whole);
  // The cluster's barrier, kept by the block of rank 0.
  void cluster_arrive(BlockOrder& by, uint32_t warp, LaneMask lanes);
  void cluster_complete();
  void cluster_wait(BlockOrder& by, uint32_t warp, LaneMask lanes, bool whole);

  void fence(uint32_t warp, LaneMask lanes, bool device);
  // A strong access of one lane: what it learns of the address, and what it publishes there.
  // `replaces`: no read-modify-write.
  void acquire(const PublishedFlag& flag, uint32_t warp, unsigned lane);
  bool publishes(uint32_t warp, unsigned lane) const;
  void publish(PublishedFlag& flag, uint32_t warp, unsigned lane, bool replaces, bool release,
               bool device);

  RaceShadow shared;
  PublishedFlags flags;  // by offset in shared memory

 private:
  struct Fences {
    std::array<Released, kLanes> device, block;  // lanes 0: none yet
  };
  struct WarpState {
    uint32_t tick = 1;
    uint32_t together = 0;  // every lane knows the others up to this tick
    bool uniform = true;    // all lanes know the same: only the first entry counts
    std::vector<Knowledge> knows;
    std::unique_ptr<Fences> fences;
  };
  struct MbarrierClock {
    std::array<Clock, 2> phase;
    bool last = false;  // parity of the last arrival
  };

  static LaneMask unordered_in(const Ticks& ticks, uint32_t warp, uint32_t tick, LaneMask lanes);
  static LaneMask unordered_outside(const Knowledge& k, uint64_t stamp, LaneMask lanes);
  const Knowledge& known(const WarpState& w, unsigned lane) const {
    return w.knows[w.uniform ? 0 : lane];
  }
  static void look_up(Touch& t, const Knowledge& k) {
    t.least = k.own->least.data();
    t.alone = k.others == nullptr && !k.everything;
  }
  void advance(WarpState& w) {
    if (w.tick < kStampTicks) ++w.tick;  // then nothing more is seen of this warp
  }
  Released released(uint32_t warp, LaneMask lanes, unsigned lane) const;
  template <class F>
  void for_each_group(uint32_t warp, LaneMask lanes, F&& f) const;
  void learn(const Clock& clock, uint32_t warp, LaneMask lanes, bool whole);
  void join(Clock& clock, uint32_t warp, LaneMask lanes) const;
  void join_fences(Clock& clock, uint32_t warp, LaneMask lanes) const;
  void learn_fences(const Clock& clock, uint32_t warp, LaneMask lanes);

  uint64_t block_;
  bool lockstep_;
  std::vector<WarpState> warps_;
  TicksPtr start_;
  std::array<Clock, 16> barriers_;
  // What the fences before a barrier have covered: an atomic behind it publishes that too, whoever
  // makes it (each thread writes and fences, they meet, one counts the block as done).
  std::array<Clock, 16> fenced_barriers_;
  bool fenced_ = false;  // some thread has made a fence
  std::unordered_map<uint64_t, MbarrierClock> mbarriers_;
  Clock cluster_pending_, cluster_done_;
};

}  // namespace pitot::emulator
