// How a warp's registers hold the matrices of `mma` (PTX ISA, "Matrix Fragments for mma…"): which
// row and column an element of a lane is, and tiles gathered from and scattered to registers.
#pragma once

#include <span>

#include "emulator/tile.h"
#include "emulator/warp.h"

namespace pitot::emulator {

enum class TileRole : uint8_t { kA, kB, kC };

struct TilePlace {
  unsigned row = 0, column = 0;
};

// The layout that all shapes but the m8n8k4 of halves share. `rows`: 8 or 16 (of A and C);
// `per_register`: elements that a register holds; `element`: of the lane, lowest register first.
inline TilePlace place_of(TileRole role, unsigned rows, unsigned per, unsigned lane,
                          unsigned element) {
  const unsigned group = lane >> 2, thread = lane & 3;
  const unsigned reg = element / per, in = element % per;
  switch (role) {
    case TileRole::kA:
      if (rows == 8) return {group, thread * per + in + reg * 4 * per};
      return {group + 8 * (reg & 1), thread * per + in + (reg >> 1) * 4 * per};
    case TileRole::kB:
      return {thread * per + in + reg * 4 * per, group};
    default:
      // Accumulators come in pairs of neighbours, packed or not, in blocks of eight columns.
      return {group + 8 * ((element >> 1) & 1), (element >> 2) * 8 + thread * 2 + (element & 1)};
  }
}

// Register words of a matrix: `slots` hold elements of `bits` (1 … 64) in steps of `step` bits.
struct TileFormat {
  ptx::Type type = ptx::Type::kF32;
  unsigned step = 32;  // bits from one element to the next in a register
  unsigned shift = 0;  // of the element in its step
};
TileFormat packed(ptx::Type t);  // elements side by side

// Element `e` of a lane as raw bits.
uint64_t element_of(Warp& w, std::span<const Slot> slots, const TileFormat& f, unsigned lane,
                    unsigned e);

// Gathers a matrix from the registers of all lanes. The tile has its shape already.
void gather(Warp& w, std::span<const Slot> slots, TileRole role, const TileFormat& f, Tile& tile);
// Writes an accumulator tile to the registers of all lanes.
void scatter(Warp& w, std::span<const Slot> slots, const TileFormat& f, const Tile& tile);
// One accumulator element of a tile as register bits.
uint64_t encode_element(ptx::Type t, const Tile& tile, unsigned row, unsigned column);

// Lanes whose accumulators rest on an undefined register. A lane's two rows and two columns are
// taken together: exact by quarter fragments only, since definedness is kept by lane and register.
LaneMask undefined_results(Warp& w, std::span<const Slot> a, std::span<const Slot> b,
                           std::span<const Slot> c);
// Lanes in which some of these registers is undefined; 0 when that is not tracked.
LaneMask undefined_lanes(Warp& w, std::span<const Slot> slots);

// A fault when lanes of the warp are missing: what .aligned operations of the whole warp forbid.
bool whole_warp(Warp& w, const Op& op, LaneMask mask);

// m, n and k as an opcode's modifier has them ("m16n8k16"; "m64n256k16", "m8n8" with k = 0). False
// when it has none.
bool shape_of(const ptx::Opcode& opcode, unsigned& m, unsigned& n, unsigned& k);

}  // namespace pitot::emulator
