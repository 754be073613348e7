// How the memory system serves the accesses of one warp: 32-byte sectors of global and local
// memory, and passes over the banks of shared memory.
#pragma once

#include <cstdint>

#include "analysis/lanes.h"

namespace pitot::analysis {

// Bytes of a sector, the unit in which L1 and L2 move data (CUDA C++ Best Practices Guide,
// "Coalesced Access to Global Memory": 32-byte transactions from compute capability 6.0 on).
inline constexpr int64_t kSectorBytes = 32;
// Shared memory has 32 banks, successive 4-byte words in successive banks (CUDA C++ Programming
// Guide, "Shared Memory", compute capability 5.x and later).
inline constexpr int64_t kBanks = 32;
inline constexpr int64_t kBankBytes = 4;

struct SectorCount {
  uint32_t sectors = 0;       // distinct ones that the request touches
  uint32_t useful_bytes = 0;  // distinct bytes asked for
  double efficiency() const {
    return sectors == 0 ? 0 : static_cast<double>(useful_bytes) / (sectors * double{kSectorBytes});
  }
};

// Sectors of one request of the lanes in `active`. Where the low bits of a base are not known they
// are taken as 0: the best case, and what allocators (256-byte aligned) give. Lanes of different
// rows are taken to be in different sectors.
SectorCount count_sectors(const LaneAddresses& a, LaneMask active, uint32_t bytes);

// Local memory is interleaved so that the same 4-byte word of all threads of a warp is contiguous
// (CUDA C++ Programming Guide, "Local Memory").
SectorCount count_local_sectors(const LaneAddresses& a, LaneMask active, uint32_t bytes);

struct BankCount {
  bool known = false;       // false where rows have unknown distances
  uint32_t wavefronts = 0;  // passes that the request needs
  uint32_t ideal = 0;       // passes without any conflict
  uint32_t extra() const { return wavefronts - ideal; }
};

// Passes over the banks: lanes are served in groups of 32 (up to 4 bytes a lane), 16 (8 bytes) or 8
// (16 bytes); a group takes as many passes as its busiest bank has distinct words. Lanes that read
// the same word share it.
BankCount count_bank_passes(const LaneAddresses& a, LaneMask active, uint32_t bytes);

}  // namespace pitot::analysis
