// How the tensor cores of sm_90 add products: measured on an H200 with the programs of
// tests/device, bit for bit (docs/results/conformance-h200.md).
//
// Products are exact. Those of a block and the accumulator are shifted to the largest exponent
// among them, cut off (towards zero) some bits below it, and added exactly. Exponents are those of
// the factors added up, before a product is normalised, and a subnormal factor has that of the
// smallest normal number. An f32 sum is cut off to its bits, an f16 sum rounded to nearest even.
#pragma once

#include <vector>

#include "emulator/tile.h"
#include "emulator/warp.h"

namespace pitot::emulator {

struct TensorSum {
  enum class Way : uint8_t {
    kBlocks,    // block after block, starting with C
    kHalves,    // of each four products of neighbours first two in one block, then two in another,
                // starting with zero; C is added to that, rounded to nearest (8-bit floats by mma)
    kSequence,  // f32 additions rounded to nearest, starting with zero; then C. For a sum in f16 C
                // and then pairs of products (m8n8k4)
  };
  Way way = Way::kBlocks;
  uint16_t block = 16;       // kBlocks: products at a time
  uint8_t fraction = 25;     // bits kept below the largest exponent
  uint8_t result_bits = 23;  // of the fraction of an f32 sum
};

enum class TensorOperation : uint8_t { kMma, kWmma, kWgmma };

// For multiplicands of type `a`; `quads`: the m8n8k4 of halves.
TensorSum hopper_sum(TensorOperation operation, ptx::Type a, bool quads = false);

// Whether the module is for a target whose sums are known; others are added as tile.h says.
inline bool sums_are_known(const Warp& w) { return w.program().module->target.sm == 90; }

// The rows of B that the elements of sparse A meet, by row of A and element as stored.
using SparseColumns = std::vector<uint16_t>;

// d = a · b + c in the format `td` (f16 or f32): every element of d has a value of that format.
// With `sparse`, a holds only the elements that are stored.
void multiply_as(const TensorSum& how, ptx::Type ta, ptx::Type tb, ptx::Type td, const Tile& a,
                 const Tile& b, const Tile& c, Tile& d, const SparseColumns* sparse = nullptr);

}  // namespace pitot::emulator
