// Counts what one gang does, on the thread that runs it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "analysis/lanes.h"
#include "emulator/observer.h"
#include "profile/collector.h"
#include "profile/loop_pacer.h"
#include "profile/sector_cache.h"
#include "profile/timeline.h"

namespace pitot::profile {

class GangCollector : public emulator::Observer {
 public:
  GangCollector(const Collector& owner, uint32_t gang)
      : owner_(owner), gang_(gang), keep_misses_(owner.has_partner(gang)) {
    counts.resize(owner.facts_.size());
  }

  void issued(const emulator::Warp& warp, const emulator::Op& op, emulator::LaneMask mask) override;
  void put_back(const emulator::Warp& warp, const emulator::Op& op,
                emulator::LaneMask mask) override;
  void accessed(const emulator::Warp& warp, const emulator::Op& op, emulator::LaneMask mask,
                const emulator::Access& access) override;
  void moved(const emulator::Warp& warp, const emulator::Op& op, ptx::Space space, uint64_t address,
             uint64_t bytes, bool write) override;

  uint64_t cycles() const;  // of its longest block
  // Of the sectors that L1 did not have, those that were asked for, where trips were passed over.
  double share_of_misses() const { return missed_ == 0 ? 1 : asked_ / missed_; }

  std::vector<OpCounts> counts;  // by operation
  std::vector<Miss> misses;      // while somebody will ask for them, up to a limit
  Footprint touched;
  std::unordered_set<uint64_t> atomics;  // sectors of global memory

 private:
  struct BlockState {
    SectorCache l1;
    Timeline timeline;
    std::vector<std::deque<uint64_t>> stored;  // by warp: sectors of its latest stores
    std::optional<LoopPacer> pacer;            // where loops are sampled
    std::vector<uint32_t> at;                  // by warp: the operation that it ran last
    std::vector<uint64_t> missed;              // by warp: sectors that L1 did not have
  };
  uint64_t weight(const emulator::Warp& warp) {
    const BlockState& b = block_of(warp);
    return b.pacer ? b.pacer->weight(warp.index) : 1;
  }
  void sample_loops(const emulator::Warp& warp, uint32_t from);
  bool stored_before(const emulator::Warp& warp, uint64_t sector);
  BlockState& block_of(const emulator::Warp& warp);
  void global(const emulator::Warp& warp, OpCounts& c, const emulator::Access& a,
              emulator::LaneMask mask, bool local);
  void shared(const emulator::Warp& warp, OpCounts& c, const emulator::Access& a,
              emulator::LaneMask mask);
  void constant(const emulator::Warp& warp, OpCounts& c, const emulator::Access& a,
                emulator::LaneMask mask);
  // Counts sectors into the hierarchy; the latency of the slowest.
  uint32_t fetch(const emulator::Warp& warp, OpCounts& c, std::span<const uint64_t> sectors,
                 emulator::AccessKind kind, bool cached);

  const Collector& owner_;
  uint32_t gang_;
  bool keep_misses_;
  unsigned accesses_ = 0;  // since the latest operation was issued
  std::map<uint64_t, std::unique_ptr<BlockState>> blocks_;
  uint64_t last_block_ = UINT64_MAX;
  BlockState* last_state_ = nullptr;
  double asked_ = 0, missed_ = 0;  // sectors
};

}  // namespace pitot::profile
