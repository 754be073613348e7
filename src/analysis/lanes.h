// What the 32 lanes of one warp hold: forms evaluated with the thread coordinates of a given warp,
// the parts that are not known kept as a base that all lanes share or as rows that some share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/affine.h"

namespace pitot::analysis {

using LaneMask = uint32_t;
using LaneValues = std::array<uint64_t, 32>;

struct LaneAddresses {
  // Offsets are known between lanes of the same row only; false: the lanes' places are not known.
  bool known = false;
  bool assumes_no_wrap = false;
  bool one_row = true;
  std::array<uint8_t, 32> row{};     // number of the row of each lane
  std::array<int64_t, 32> offset{};  // relative to the row's base, in bytes
  Bits base = Bits::constant(0);     // known bits of what all rows have in common
  std::array<Bits, 32> row_base;     // and of the rest of each lane's, unless it is one row
  LaneMask lanes = 0;                // lanes that exist
  // Known bits of the base of the lane's row, and of the lane's whole address.
  Bits base_of(unsigned lane) const { return one_row ? base : bits_add(base, row_base[lane], 64); }
  Bits address(unsigned lane) const;
};

// Evaluates forms for one warp after another.
class LaneEvaluator {
 public:
  LaneEvaluator(const AffineForms& forms, const FlowFacts& flow, const Uniformity& uniformity)
      : forms_(forms), flow_(flow), uniformity_(uniformity) {}

  void set_warp(const BlockShape& shape, uint32_t warp);
  LaneMask lanes() const { return lanes_; }

  // Values of a pure form, modulo 2^width. False where it cannot be evaluated in some existing
  // lane.
  bool values(FormId f, unsigned width, LaneValues& out);
  // Lanes in which a pure predicate holds, if it is one.
  std::optional<LaneMask> predicate(FormId f);
  // Addresses as the block `at` sees them.
  LaneAddresses addresses(FormId f, unsigned width, BlockId at);
  // The value is the same in all lanes of a warp that are in block `at` together.
  bool uniform(FormId f, BlockId at) const;

 private:
  bool atom_values(AtomId a, LaneValues& out);
  bool atom_uniform(AtomId a, BlockId at) const;

  const AffineForms& forms_;
  const FlowFacts& flow_;
  const Uniformity& uniformity_;
  BlockShape shape_;
  uint32_t warp_ = 0;
  LaneMask lanes_ = 0;
  // Atom → position in `cache_` + 1; 0: not evaluated; kNone: cannot be.
  std::vector<uint32_t> cached_;
  std::vector<LaneValues> cache_;
};

// What all lanes hold whichever block of threads it is: for constants and provably uniform forms.
inline LaneMask lanes_of(const BlockShape& shape, uint32_t warp) {
  uint32_t first = warp * 32, threads = shape.threads();
  if (first >= threads) return 0;
  uint32_t n = threads - first;
  return n >= 32 ? 0xffffffffu : (1u << n) - 1;
}

}  // namespace pitot::analysis
