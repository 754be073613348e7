// Uniformity: which values are the same for all threads of a grid, a block or a warp and which vary
// by lane, through data, through control (values that meet after a divergent branch) and through
// time (values that leave a loop which lanes leave at different iterations). Known bits come with
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/block_shape.h"
#include "analysis/flow_facts.h"

namespace pitot::analysis {

struct ValueFacts {
  Bits bits;
  Scope scope = Scope::kGrid;  // of what does not vary within a warp
  Scope level() const { return bits.varies() ? Scope::kVarying : scope; }
};

// A claim holds for lanes that execute the defining instruction together, the k-th time each.
struct Uniformity {
  // By parameter: bytes that its value is stated to be a multiple of, beyond `.ptr .align`. A power
  // of two; set before `build`.
  std::vector<std::pair<ptx::SymbolId, uint32_t>> stated_alignment;
  std::optional<BlockShape> shape;
  std::vector<ValueFacts> facts;  // by ValueId
  // By block: the predicate (or brx index) that ends it, kGrid where control does not split.
  std::vector<Scope> branch;
  // By block: the most divergent branch or conditional exit on which its execution depends,
  // directly or through others. kVarying: lanes of one warp may be there without the others.
  std::vector<Scope> context;
  std::vector<Scope> loop_exit;  // by LoopId: the most divergent branch by which lanes leave it
  // By LoopId: the most divergent branch by which threads inside the loop come to be in different
  // turns of it: in loops with several back edges (nested loops with one header) or several
  // entries.
  std::vector<Scope> loop_step;

  // Without a shape nothing is assumed of the block but the limits of the hardware.
  void build(const FlowFacts& flow, const std::optional<BlockShape>& block_shape, Workspace& ws);

  // The value as a block outside its loop sees it.
  ValueFacts at(const FlowFacts& flow, ValueId v, BlockId use) const;
  // Of operand `operand` of an instruction: register, constant, special register or symbol address.
  ValueFacts operand(const FlowFacts& flow, uint32_t instruction, uint8_t operand) const;
  // Of the address inside an address operand, displacement included.
  ValueFacts address(const FlowFacts& flow, uint32_t instruction, uint8_t operand) const;
  // Of the guard; a constant 1 without one. Negation is applied.
  ValueFacts guard(const FlowFacts& flow, uint32_t instruction) const;
};

}  // namespace pitot::analysis
