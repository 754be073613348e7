// Samples the trips of long loops while a block runs: when a warp has gone round a steady loop a
// few times, one more trip counts for many, and the registers that the loop hands on are moved to
// where those many would have left them.
//
// What is steady: over two periods of one to kMostPeriod trips in a row, every register that
// addresses, guards or exits depend on has grown by the same amount in every lane. How many trips
// are to come follows from the comparisons that end the loop. Only three quarters of them are
// passed over at once, so that what changes on the way is noticed, and the last ones always run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/warp.h"
#include "profile/steady_loops.h"

namespace pitot::profile {

class LoopPacer {
 public:
  LoopPacer(const SteadyLoops& loops, size_t warps) : loops_(loops), warps_(warps) {}

  // What one operation of the warp counts for now.
  uint64_t weight(uint32_t warp) const { return warps_[warp].weight; }

  // What grows while a warp runs: cycles that it has taken, sectors that L1 did not have, those
  // counted as often as the trips that ask for them.
  struct Progress {
    uint64_t cycles = 0, missed = 0;
  };
  // All lanes of the warp are about to run its operation at warp.pc, and have last run one that
  // stands there or later: `from`. What trips would have taken that were passed over just now;
  // nothing where none were.
  Progress came_back(emulator::Warp& warp, uint32_t from, const Progress& now);

 private:
  static constexpr size_t kMostPeriod = 4;
  static constexpr uint64_t kLastTrips = 2;  // that run in any case
  using Snapshot = std::vector<uint64_t>;    // carried registers, then tests: 32 lanes each

  // A loop that the warp is in.
  struct Active {
    const SteadyLoop* loop = nullptr;
    uint32_t header = 0;            // the operation that trips come back to
    uint64_t instance = 0;          // times that the warp has come into it
    uint64_t visits = 0;            // of the branch back, in this instance
    std::vector<Snapshot> seen;     // latest last, at most 2 * kMostPeriod + 1
    uint64_t counts_for = 1;        // of its period under way; 1: an ordinary trip
    uint64_t period = 0, left = 0;  // trips of the period, and still to run
    Progress began;                 // when the period did
  };
  struct WarpState {
    std::vector<Active> stack;
    std::map<uint32_t, uint64_t> instances;  // by header
    uint64_t weight = 1;
  };
  struct Decision {
    uint64_t period = 0, periods = 0;  // periods to pass over; 0: none
  };

  void snapshot(emulator::Warp& warp, Active& a) const;
  Decision decide(const emulator::Warp& warp, const Active& a) const;
  bool steady(const emulator::Warp& warp, const Active& a, size_t period) const;
  uint64_t trips_left(const emulator::Warp& warp, const Active& a, size_t period) const;
  void move_on(emulator::Warp& warp, Active& a) const;
  static void weigh(WarpState& w);

  const SteadyLoops& loops_;
  std::vector<WarpState> warps_;
  // Of loops with barriers, the first warp to come decides for all: by header, instance and visit.
  // Visits up to the latest one without an entry pass nothing over.
  std::map<std::pair<uint32_t, uint64_t>, std::pair<uint64_t, std::map<uint64_t, Decision>>> joint_;
};

}  // namespace pitot::profile
