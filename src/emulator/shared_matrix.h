// Matrices in shared memory that a 64-bit descriptor names (PTX ISA, "Asynchronous Warpgroup Level
// Matrix Shared Memory Layout" and, for tcgen05, "Shared memory descriptor").
//
// A matrix is made of chunks of 16 bytes. K-major, a chunk holds neighbours along K of one row of A
// or column of B; MN-major, neighbours along M or N for one k. With T elements a chunk and a
// swizzle of S bytes, the chunk of (mn, k) lies at
//   K-major,  none   start + mn/8·SBO + mn%8·16 + k/T·LBO
//   K-major,  S      start + mn/8·SBO + mn%8·S + k/T·16
//   MN-major, none   start + mn/T·SBO + k/8·LBO + k%8·16
//   MN-major, S      start + mn/(T·S/16)·LBO + k/8·SBO + k%8·S + mn/T%(S/16)·16
//   MN-major, 128, atoms of 32 bytes
//                  start + mn/8T·LBO + k/4·SBO + k%4·128 + mn/T%8·16
// where with a swizzle address bits 4 … 6 are then xored with bits 7 … 9, as many as S/32 needs;
// with the wide atoms bits 5, 6 with 7, 8.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/tile.h"
#include "emulator/warp.h"

namespace pitot::emulator {

struct SharedMatrix {
  uint64_t start = 0;       // from the block's shared memory on
  uint64_t leading = 0;     // bytes, LBO
  uint64_t stride = 0;      // bytes, SBO
  unsigned swizzle = 0;     // bytes: 0, 32, 64, 128
  bool wide_atoms = false;  // of 32 bytes: 128-byte swizzling of MN-major 32-bit elements
  bool mn_major = false;
  uint64_t window = 0;     // shared-space address of the block's shared memory
  unsigned per_chunk = 0;  // elements in 16 bytes; 0: as many as fit. Padding lies behind them.
};

enum class DescriptorKind : uint8_t { kWarpgroup, kTcgen05 };

// Reads a descriptor; false and what is wrong or not covered in `problem`.
bool parse_descriptor(const Warp& w, uint64_t descriptor, DescriptorKind kind, SharedMatrix& m,
                      std::string& problem);

// Where, from the block's shared memory on, the chunk lies that holds (mn, k); T elements a chunk.
uint64_t chunk_address(const SharedMatrix& m, unsigned per_chunk, unsigned mn, unsigned k);

// Loads rows `first` … `first + rows` − 1 along M or N and k = 0 … `depth` − 1. `by_row`: the tile
// is rows × depth (A), else depth × rows (B). `undefined` gets a mark for each row (of the tile's
// MN) that holds bytes nobody wrote. `on_behalf`: the lane that asked; else the warp together.
// False after a fault.
bool load_matrix(Warp& w, const Op& op, const SharedMatrix& m, ptx::Type type, unsigned first,
                 unsigned rows, unsigned depth, bool by_row, Tile& tile,
                 std::vector<bool>& undefined, unsigned on_behalf = kLanes);

}  // namespace pitot::emulator
