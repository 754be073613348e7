// Which lanes of a warp can be in which block, where branches on the thread's coordinates say so.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes.h"

namespace pitot::analysis {

struct ActiveLanes {
  // By block: a lane that is not in `may` never executes it. `exact`: the first time that any lane
  // of the warp executes it, exactly those in `may` do.
  std::vector<LaneMask> may;
  std::vector<uint8_t> exact;
  // Lanes that left the kernel for good before the block, of those that are not in `may`.
  std::vector<LaneMask> gone;

  // For the warp that the evaluator is set to.
  void build(const FlowFacts& flow, const Uniformity& u, AffineForms& forms, LaneEvaluator& lanes);

  // The lanes that execute an instruction, its guard included.
  struct Executing {
    LaneMask may = 0;
    bool exact = false;
    LaneMask gone = 0;
  };
  Executing at(const FlowFacts& flow, const Uniformity& u, AffineForms& forms, LaneEvaluator& lanes,
               uint32_t instruction) const;
};

}  // namespace pitot::analysis
