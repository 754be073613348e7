// The instruction descriptor of tcgen05.mma (PTX ISA, "Instruction descriptor"): shape and types of
// a product, and where its accumulator lies in tensor memory (PTX ISA, "Data Path Layout
// Organization").
#pragma once

#include <cstdint>
#include <string>

#include "ptx/types.h"

namespace pitot::emulator {

enum class MmaKind : uint8_t { kF16, kTf32, kF8f6f4, kI8, kMxf8f6f4, kMxf4, kMxf4nvf4 };

// What the instruction's spelling says.
struct MmaVariant {
  MmaKind kind = MmaKind::kF16;
  bool pair = false;    // cta_group::2
  bool sparse = false;  // .sp
  bool ws = false;      // weight stationary
  unsigned scales = 0;  // factors along K of a row, 0 without .block_scale
};

// How rows and columns of D lie on the 128 lanes of a block.
enum class MmaLayout : uint8_t {
  kFull,  // row r in lane r (layouts A, D)
  kHalf,  // row r in lane r/16·32 + r%16, from lane 0 or 16 on (C, F)
  kTwo,   // 64 rows; the second half of N in lanes 64 … 127 (B, E)
  kFour,  // 32 rows; a quarter of N in each 32 lanes (G)
};

struct MmaDescription {
  unsigned m = 0, n = 0, k = 0;  // k: of the expanded A
  unsigned rows = 0;             // of A and D in one block
  MmaLayout layout = MmaLayout::kFull;
  ptx::Type d = ptx::Type::kNone, a = ptx::Type::kNone, b = ptx::Type::kNone;
  ptx::Type scale = ptx::Type::kNone;
  unsigned scale_a_id = 0, scale_b_id = 0;  // first byte of a word of tensor memory
  bool saturate = false, negate_a = false, negate_b = false, a_mn = false, b_mn = false;

  // Copies that tensor memory holds of what all parts of N need: A, metadata.
  unsigned copies() const {
    return layout == MmaLayout::kTwo ? 2 : layout == MmaLayout::kFour ? 4 : 1;
  }
  unsigned columns() const { return n / copies(); }  // of D in tensor memory
  unsigned lane(unsigned row, unsigned column) const {
    switch (layout) {
      case MmaLayout::kFull:
        return row;
      case MmaLayout::kHalf:
        return row / 16 * 32 + row % 16;
      default:
        return column / columns() * rows + row;
    }
  }
  unsigned column(unsigned column) const { return column % columns(); }
};

// What is wrong with the descriptor; empty when nothing is. `covered` is cleared for what is legal
// but not here.
std::string describe_mma(uint32_t descriptor, const MmaVariant& v, MmaDescription& d,
                         bool& covered);

}  // namespace pitot::emulator
