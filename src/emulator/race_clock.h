// What a thread knows of how far others have come, for telling ordered accesses from races: vector
// clocks with one entry a thread, shared between all who know the same.
//
// Each warp counts ticks; an access is dated with the tick of its warp. What a thread hands on when
// it arrives somewhere ("releases") covers its accesses up to that tick, and everything that it
// knows itself; whoever learns of it ("acquires") is ordered behind those.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/lanes.h"

namespace pitot::emulator {

// Of the threads of one block: the last tick that is known, and the least of each warp.
struct Ticks {
  std::vector<uint32_t> lane;   // by warp × 32 + lane
  std::vector<uint32_t> least;  // by warp

  explicit Ticks(std::vector<uint32_t> by_lane);
};
using TicksPtr = std::shared_ptr<const Ticks>;

// By linear block number, sorted.
using BlockTicks = std::vector<std::pair<uint64_t, TicksPtr>>;

// What one thread knows: of its own block, and of others from which it has learned something.
struct Knowledge {
  TicksPtr own;
  std::shared_ptr<const BlockTicks> others;  // null: nothing
  bool everything = false;  // of other blocks: given up on keeping them apart (kMostBlocks)

  bool operator==(const Knowledge&) const = default;
};

// Blocks that one thread may know of. Beyond that it counts as knowing everything of every other
// block, which misses races but reports none that is not there.
inline constexpr size_t kMostBlocks = 2048;

// What lanes of a warp that know the same hand on.
struct Released {
  uint64_t block = 0;
  uint32_t warp = 0;
  LaneMask lanes = 0;  // up to `tick`
  uint32_t tick = 0;
  uint32_t mates = 0;  // the other lanes of the warp, up to here
  Knowledge knows;
};

// Collects what is released at one place, and teaches it.
class Clock {
 public:
  void join(const Released& r);
  bool empty() const { return parts_.empty() && !everything_; }
  void clear();
  // Adds everything collected to what a thread of this block knows.
  void teach(uint64_t block, Knowledge& k) const;

 private:
  struct Part {
    uint64_t block = 0;
    std::vector<uint32_t> lane;
    TicksPtr last;          // joined already
    mutable TicksPtr made;  // the same as `lane`, once somebody asked
  };
  Part& part(uint64_t block, size_t threads);
  void join(uint64_t block, const TicksPtr& ticks);

  std::vector<Part> parts_;  // sorted by block
  bool everything_ = false;
};

}  // namespace pitot::emulator
