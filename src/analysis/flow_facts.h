// The control-flow and value facts of one function, built together; what the address analyses stand
// on.
#pragma once

#include "analysis/access_roles.h"
#include "analysis/cfg.h"
#include "analysis/dominators.h"
#include "analysis/liveness.h"
#include "analysis/loops.h"
#include "analysis/reaching.h"
#include "analysis/workspace.h"

namespace pitot::analysis {

// Reusable: `build` keeps the capacity of an earlier use. Module and function must outlive it.
struct FlowFacts {
  const ptx::Module* module = nullptr;
  const ptx::Function* function = nullptr;
  Accesses accesses;
  Cfg cfg;
  DominatorTree dom, post;
  BlockLists frontiers;  // empty in long functions once the values are there
  LoopForest loops;
  Liveness liveness;
  DefUse values;
  // Loops nested beyond kDeepestLoop, or edges, frontiers, side entries of loops or live ranges
  // beyond the limit that keeps time and memory in proportion to the text. Then nothing is live,
  // there are no values, and edges and loops may be missing: nothing may be concluded but counts.
  bool too_complex = false;
  static constexpr uint32_t kDeepestLoop = 256;
  static constexpr size_t kItemsPerInstruction = 64;  // plus kItems
  static constexpr size_t kItems = size_t{1} << 22;

  void build(const ptx::Module& m, const ptx::Function& f, Workspace& ws);
  // Gives back the memory of what only register analyses read (liveness, accesses by register, uses
  // by value), if the function is so long that it matters. For callers that go on to
  // addresses.
  void forget_registers();
  // The same of the trees: parents of post-dominators and preorders, which uniformity is the last
  // to read.
  void forget_trees();
  // Functions below this many instructions keep their memory for the next one.
  static constexpr uint32_t kLongFunction = 1u << 16;
  bool is_long() const { return instruction_count() >= kLongFunction; }

  const ptx::Instruction& instruction(uint32_t i) const {
    return module->instructions[function->first_instruction + i];
  }
  uint32_t instruction_count() const { return function->instruction_count; }
  // The block where a value comes to be: 0 for values at entry.
  BlockId block_of_value(ValueId v) const {
    const Value& value = values.values[v];
    if (value.kind == ValueKind::kWrite) return cfg.block_of[accesses.instruction_of[value.where]];
    return value.kind == ValueKind::kPhi ? value.where : 0;
  }
  // The value that operand `operand` (element `element` of its braces or pair) reads; kNone if that
  // is no register or the instruction is unreachable. Guards: operand kImplicitOperand.
  ValueId read(uint32_t instruction, uint8_t operand, uint16_t element = 0) const;
};

}  // namespace pitot::analysis
