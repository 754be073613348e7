// What tcgen05.mma reads beside its matrices: sparsity metadata and scale factors in tensor memory
// (PTX ISA, "Sparse Matrices", "Block Scaling").
#pragma once

#include <string>
#include <vector>

#include "emulator/tcgen05.h"
#include "emulator/tcgen05_descriptor.h"
#include "emulator/tile.h"

namespace pitot::emulator {

// A word that tensor memory holds `copies` times, `apart` lanes from each other: every part of the
// hardware reads its own.
struct CopiedWord {
  uint32_t value = 0;
  bool defined = true, equal = true;
};
CopiedWord read_copies(const TensorMemory& memory, unsigned lane, unsigned column, unsigned copies,
                       unsigned apart);

// Expands the stored half of A (rows × k/2) to `a` (rows × k). Four bits describe a chunk of 2
// (tf32), 4 or 8 (4-bit types) columns. For row r and chunk c they are, at column `at` of tensor
// memory,
//   16 bits and more   lane r/16·16 + c/4·8 + r%8, nibble c%4 + 4·(r/8%2)
//   8 bits and less    lane r, column c/8, nibble c%8
// Rows with undefined metadata are marked. Returns what is wrong; `covered` as for descriptors.
std::string expand_mma(const TensorMemory& memory, unsigned at, const MmaVariant& v,
                       const MmaDescription& d, const Tile& stored, Tile& a,
                       std::vector<bool>& undefined, bool& covered);

// Multiplies rows of A by their factors: of row r the bytes from scale_a_id on of the word in lane
// r%32, column at + r/32, the same in every 32 lanes. Rows with undefined factors are marked.
std::string scale_mma_rows(const TensorMemory& memory, unsigned at, const MmaVariant& v,
                           const MmaDescription& d, Tile& a, std::vector<bool>& undefined);
// The same for columns of B: column n in lane n%32, column at + n/32; where the halves of N lie on
// different lanes, each in its own 64 lanes.
std::string scale_mma_columns(const TensorMemory& memory, unsigned at, const MmaVariant& v,
                              const MmaDescription& d, Tile& b, std::vector<bool>& undefined);

}  // namespace pitot::emulator
