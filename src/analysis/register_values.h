// How many registers each value of a function needs once ptxas has chosen machine instructions.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/uniformity.h"

namespace pitot::analysis {

// Views of which values need a register, from the text as it stands to the machine code expected.
enum CostView : uint8_t {
  kCostAll,      // every value
  kCostVarying,  // without parameters, constants and copies of them
  kCostLane,     // and without integers that are uniform over a block (the uniform file holds them)
  kCostMachine,  // and without what folds into addresses, multiply-adds or operand modifiers, and
                 // halves of other registers
  kCostStrict,   // the machine view, but a uniform value is free only where the uniform pipe can
                 // have computed it: by its own few instructions, outside divergent code
  kCostViews,
};
using CostUnits = std::array<uint8_t, kCostViews>;  // 32-bit registers; one value has few

struct RegisterValues {
  std::vector<CostUnits> units;  // by ValueId; predicates cost nothing
  std::vector<uint8_t> predicate;
  std::vector<uint8_t> zero;  // by ValueId: known to be 0
  // By ValueId: the value that a read of this one keeps alive in the machine view: itself, or the
  // source of the expression that is folded into its users (both in one block).
  std::vector<ValueId> root;
  // By ValueId: the parameter or launch constant (%ntid, %nctaid) that it is a copy of, as a number
  // into `parameters`, which holds the first value of each; kNone for other values.
  std::vector<uint32_t> parameter;
  std::vector<ValueId> parameters;
  // By register: data of a scalar store. ptxas puts such a value in an odd register while that
  // costs no occupancy, on sm_90 those of shared memory as well; the even one beside it may stay
  // empty.
  enum Data : uint8_t { kNoData, kSharedData, kGlobalData };
  std::vector<uint8_t> data;

  // Whether the instruction does no more than make such a copy.
  bool copies_parameter(const FlowFacts& flow, uint32_t instruction) const;

  void build(const FlowFacts& flow, const Uniformity& uniformity);
};

}  // namespace pitot::analysis
