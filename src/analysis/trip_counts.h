// Trip counts of loops whose test is affine in a counter, and what a block weighs by them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::analysis {

struct TripCount {
  // Times that the body runs once the loop is entered; nothing when it is not a constant.
  std::optional<uint64_t> trips;
  // Where the counter, its start or its bound is a parameter: that symbol, else kNoId.
  ptx::SymbolId parameter = kNoId;
  int64_t step = 0;  // of the counter a trip; 0 when no counter was found
};

// By LoopId. A loop has a count when one test decides on leaving it, that test runs on every trip,
// and compares a counter (start and step constant) with a constant; signed, unsigned and wrapping
// compares, tests at the top and at the bottom, and counters advanced in several places (unrolled)
// are followed. Further exits (break) make the count an upper bound; it is still reported.
std::vector<TripCount> trip_counts(const FlowFacts& flow);

// By block: the product of its loops' trips, `default_trips` for those without a count; at most
// 1e12. Unreachable blocks weigh 0.
std::vector<double> block_weights(const FlowFacts& flow, const std::vector<TripCount>& trips,
                                  double default_trips);

}  // namespace pitot::analysis
