// Register pressure from liveness: how many 32-bit registers (and predicates) are live at once.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::analysis {

// 32-bit registers that one register of this type occupies: 64 bits take 2, 128 take 4, 16 and 8
// bits a whole one (ptxas packs halves only where instructions do); predicates take none. Vectors
// count every element.
uint32_t register_units(const ptx::Register& r);

// Live registers by width. Vectors count every element.
struct LiveRegisters {
  uint32_t predicates = 0;
  uint32_t narrow = 0;    // 8 and 16 bits
  uint32_t single = 0;    // 32 bits
  uint32_t twice = 0;     // 64 bits
  uint32_t fourfold = 0;  // 128 bits
  uint32_t units() const { return narrow + single + 2 * twice + 4 * fourfold; }
  bool operator==(const LiveRegisters&) const = default;
};

struct Pressure {
  uint32_t max = 0;              // 32-bit registers
  uint32_t max_instruction = 0;  // where, relative to the function
  LiveRegisters at_max;          // of which widths
  uint32_t max_predicates = 0;   // may be at another instruction
  double mean = 0;               // over reachable instructions
  // By instruction, relative to the function: the larger of what is live before it and what is live
  // after it together with what it writes. 0 in unreachable blocks.
  std::vector<uint32_t> profile;

  void build(const FlowFacts& flow, Workspace& ws);
};

}  // namespace pitot::analysis
