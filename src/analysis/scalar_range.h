// Between which bounds an integer value of one thread lies, whatever the thread: constants folded,
// masks, shifts, minima, coordinates and what the caller knows of the launch followed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/int_ops.h"

namespace pitot::analysis {

__extension__ typedef __int128 Wide;  // holds every 64-bit integer, signed or not, and their sums
constexpr Wide power(unsigned n) { return Wide{1} << n; }  // 2^n, n < 127

// What a caller knows of the launch; all of it may be missing.
struct KnownValues {
  std::vector<std::pair<ptx::SymbolId, uint64_t>> parameters;
  std::optional<std::array<uint32_t, 3>> block, grid;
};

// Stands for every integer between the bounds modulo 2^width. Bounds lie in [−2^(width−1),
// 2^width).
struct ScalarRange {
  Wide low = 0, high = 0;
  bool exact() const { return low == high; }

  static ScalarRange full(unsigned width) { return {0, (Wide{1} << width) - 1}; }
  static ScalarRange constant(uint64_t v) { return {static_cast<Wide>(v), static_cast<Wide>(v)}; }
  // The same values read as signed or unsigned; everything when the range straddles the seam.
  ScalarRange as(bool is_signed, unsigned width) const;
};

class ScalarRanges {
 public:
  ScalarRanges(const FlowFacts& facts, const KnownValues& known) : facts_(facts), known_(known) {}

  ScalarRange of(ValueId v) { return value(v, 0); }
  // Of a source operand of an instruction, read with the given width.
  ScalarRange of_operand(uint32_t instruction, uint8_t operand, unsigned width) {
    return operand_range(instruction, operand, width, 0);
  }

 private:
  static constexpr unsigned kMaxDepth = 32;
  ScalarRange value(ValueId v, unsigned depth);
  ScalarRange written(ValueId v, unsigned width, unsigned depth);
  ScalarRange operand_range(uint32_t i, uint8_t k, unsigned width, unsigned depth);
  ScalarRange special(const ptx::Operand& o, unsigned width) const;
  ScalarRange load(uint32_t i, unsigned width) const;

  const FlowFacts& facts_;
  const KnownValues& known_;
  std::unordered_map<ValueId, ScalarRange> known_ranges_;
};

}  // namespace pitot::analysis
