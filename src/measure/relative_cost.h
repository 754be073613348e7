// What a program takes by what the original takes at the same time: the GPU's clocks may change
// during a long search, and nobody is to be favoured by that.
#pragma once

#include "measure/measure_result.h"

namespace pitot::measure {

// Half of the relative difference between two programs that counts as none: rewards have a dead
// zone of 1 %.
inline constexpr double kHalfDeadZone = 0.005;

struct RelativeCost {
  double cost = 0, noise = 0;  // in the unit of `base`
};
// `before`, `after`: the original's times before and after the program's, `at` (0 … 1) of the way
// between them; `base`: the original's when it was measured first, which all costs are relative to.
// The noise is the half width of the two intervals together, at least the dead zone's half.
RelativeCost relative_cost(double base, const Estimate& program, const Estimate& before,
                           const Estimate& after, double at);

}  // namespace pitot::measure
