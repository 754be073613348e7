// A function's control flow without its layout: blocks joined where only one way leads on, plain
// jumps turned into edges, so that moved blocks and unused labels look alike.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cfg.h"
#include "ptx/module.h"

namespace pitot::gate {

inline constexpr uint32_t kLeaves = UINT32_MAX;  // as a successor: out of the function

struct ShapeBlock {
  std::vector<uint32_t> body;  // instructions of the function, without jumps and the terminator
  uint32_t terminator = UINT32_MAX;  // the deciding or leaving instruction, if there is one
  bool two_way = false;              // a guarded branch, ret, exit or trap: successors are
                                     // {when the guard register is true, when it is false}
  bool negated = false;              // its guard is written @!p
  std::vector<uint32_t> successors;  // blocks, in the order that the program says
};

struct Shape {
  std::vector<ShapeBlock> blocks;
  std::vector<uint32_t> roots;  // the entry, then unreachable blocks that nothing leads to
  bool complete = true;         // false: a branch target is not known, nothing can be concluded

  Shape(const ptx::Module& m, const ptx::Function& f, const analysis::Cfg& cfg);
};

}  // namespace pitot::gate
