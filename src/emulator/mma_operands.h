// What `mma` does to its multiplicands before they meet: sparse A expanded by its metadata, blocks
// of A and B scaled.
#pragma once

#include <span>

#include "emulator/tensor_sum.h"
#include "emulator/tile.h"
#include "emulator/warp.h"

namespace pitot::emulator {

// How the metadata of mma.sp picks elements of a row of A (PTX ISA, "Sparse matrix storage").
enum class Sparsity : uint8_t {
  kNone,
  kOneOfTwo,    // tf32: a chunk of 2 columns has one element
  kTwoOfFour,   // 16- and 8-bit elements
  kPairsOfFour  // 4-bit elements packed: a chunk of 8 columns has two pairs of neighbours
};

struct SparseForm {
  Sparsity kind = Sparsity::kNone;
  bool narrow = false;   // elements of 8 bits or less: another layout of the metadata
  bool ordered = false;  // .sp::ordered_metadata
};

// Four bits of metadata describe a chunk. Where they lie in the lanes' metadata registers follows
// from the selector (PTX ISA, the metadata figures of "Matrix fragments for … sparse matrix A"):
// for row r, chunk c of `chunks`
//   16 bits and more   lane 4·(r%8) + selector·(chunks/4) + c/4, nibble c%4 + 4·(r/8)
//   8 bits and less    lane 4·(r%8) + selector·2 + r/8 + 2·(c/8), nibble c%8
// `packed`: 16 × k/2 as stored; `a`: 16 × k, zero where no element is; `columns`: where each
// element of `packed` belongs. False after a fault.
bool expand_sparse(Warp& w, const Op& op, const SparseForm& form, std::span<const Slot> metadata,
                   unsigned selector, const Tile& packed, Tile& a, SparseColumns& columns);

// Block scales (PTX ISA, "Block scaling"): `blocks` factors a row of A or column of B, in the bytes
// from `byte` on of a register. Row r of A has them in lane 4·(r%8) + 2·thread + r/8 (thread 0 or
// 1), column n of B in lane 4n + thread. Scales are multiplied into the tile, which double holds
// exactly.
void scale_rows(Warp& w, std::span<const Slot> data, ptx::Type type, unsigned byte, unsigned thread,
                unsigned blocks, Tile& a);
void scale_columns(Warp& w, std::span<const Slot> data, ptx::Type type, unsigned byte,
                   unsigned thread, unsigned blocks, Tile& b);

}  // namespace pitot::emulator
