// Whether the memory accesses of two instructions of one block may change places. What the memory
// order proves by roots is extended by certain distances and by buffers that are stated distinct.
#pragma once

#include <vector>

#include "analysis/memory_order.h"
#include "transform/value_distance.h"

namespace pitot::transform {

class MemoryConflict {
 public:
  explicit MemoryConflict(Subject& subject) : subject_(subject), distance_(subject) {}
  // Whether they must keep their order on account of memory; registers are not looked at.
  bool between(uint32_t a, uint32_t b);
  // Whether it touches or orders memory at all.
  bool touches_memory(uint32_t instruction) {
    return effect(instruction).kind != analysis::MemoryOrder::Kind::kNothing;
  }

 private:
  struct Effect {
    bool known = false;
    analysis::MemoryOrder::Kind kind = analysis::MemoryOrder::Kind::kNothing;
    std::vector<analysis::MemoryAccess> accesses;
  };
  const Effect& effect(uint32_t instruction);
  bool apart(const analysis::MemoryAccess& a, const analysis::MemoryAccess& b);
  ptx::SymbolId buffer(uint32_t instruction, uint8_t operand);

  Subject& subject_;
  ValueDistance distance_;
  analysis::MemoryOrder order_;
  std::vector<Effect> effects_;  // by instruction
};

}  // namespace pitot::transform
