// Which blocks of a grid are executed for a profile.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/launch.h"

namespace pitot::profile {

struct Sample {
  std::vector<uint64_t> blocks;  // linear numbers, ascending; empty: all
  size_t clump = 1;              // gangs (see emulator::gangs_of) in a row, chosen together
  uint64_t gangs = 0;            // that run
  uint64_t all_gangs = 0;        // of the launch
  // Numbers of gangs that run one after the other on one SM: the second finds in L1 what the first
  // has left there.
  std::vector<std::pair<size_t, size_t>> successors;
};

// About `wanted` blocks (0: all) in clumps, one at a place of its own in each of equal parts of the
// grid, so that edges do not dominate. A clump is two neighbours and, where the grid is large
// enough, the two that follow them on the same SM (`sms` gangs later), so that what blocks share
// shows. The same for the same launch, always.
Sample choose_blocks(const emulator::Launch& launch, uint64_t wanted, uint32_t sms);

}  // namespace pitot::profile
