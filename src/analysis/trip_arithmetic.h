// The arithmetic of loop counters: how often start + t·step passes a comparison before it fails.
#pragma once

#include <cstdint>

#include "analysis/trip_counts.h"

namespace pitot::analysis {

// The smallest t ≥ 0 for which the comparison fails lies between these.
struct TripBounds {
  uint64_t least = 0, most = UINT64_MAX;
  bool exact = false;  // all inputs were single values and the counter does not wrap on its way
};

TripBounds first_failure(const LoopCounter& c, const ScalarRange& start, const ScalarRange& bound,
                         const ScalarRange& step);

// The same for a counter that is shifted; `start` is before the first shift that `stepped` tells
// of.
TripBounds first_failure_shifted(const LoopCounter& c, const ScalarRange& start,
                                 const ScalarRange& bound);

// The range where it fits the width, else everything.
ScalarRange fitted(const ScalarRange& r, unsigned width);
// The range moved by a constant modulo 2^width; everything when the seam gets inside.
ScalarRange shifted(const ScalarRange& r, int64_t by, unsigned width);

Order negated(Order o);   // of the opposite outcome
Order mirrored(Order o);  // with the operands exchanged
int64_t signed_of(int64_t v, unsigned width);

}  // namespace pitot::analysis
