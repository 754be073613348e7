#include "measure/relative_cost.h"

#include <algorithm>
#include <cmath>

namespace pitot::measure {
namespace {

double relative_half(const Estimate& e) { return e.value > 0 ? (e.hi - e.lo) / 2 / e.value : 0; }

}  // namespace

RelativeCost relative_cost(double base, const Estimate& program, const Estimate& before,
                           const Estimate& after, double at) {
  const double original = before.value + at * (after.value - before.value);
  const double cost = base * program.value / original;
  const double half =
      std::hypot(relative_half(program), std::max(relative_half(before), relative_half(after)));
  return {cost, cost * std::max(kHalfDeadZone, half)};
}

}  // namespace pitot::measure
