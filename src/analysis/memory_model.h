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

// Passes over the banks. Up to 4 bytes a lane the warp is served at once, with 8 bytes by halves,
// with 16 by quarters; a group takes as many passes as its busiest bank has distinct words, and
// lanes that want the same word share it. Two halves (8 bytes), or the two quarters of a half (16
// bytes), are served together where every active lane i has its neighbour i^1 idle or at the same
// address, or every one has i^2 so. This reproduces the hardware's own count (wavefronts of shared
// loads in Nsight Compute) of 34 patterns on an H200; they are tests.
BankCount count_bank_passes(const LaneAddresses& a, LaneMask active, uint32_t bytes);

// The same for loads and stores of global and local memory, whose data lies in the same banks of
// the L1: quarters and halves are never served together there. This reproduces the hardware's
// count (l1tex__data_pipe_lsu_wavefronts in Nsight Compute) of 38 of 39 load patterns on an H200;
// the one that needs a pass more than is said here is 16-byte lanes across a 128-byte boundary.
BankCount count_line_passes(const LaneAddresses& a, LaneMask active, uint32_t bytes);

}  // namespace pitot::analysis
