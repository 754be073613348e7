// Trip counts of loops whose test is affine in a counter, and what a block weighs by them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/flow_facts.h"
#include "analysis/loop_counter.h"
#include "analysis/scalar_range.h"

namespace pitot::analysis {

struct TripCount {
  // Times that the body runs once the loop is entered; nothing when it is not a constant (or known
  // from the values given).
  std::optional<uint64_t> trips;
  // Between these it lies, for every thread; a counter is taken not to wrap around.
  uint64_t least = 0, most = UINT64_MAX;
  bool may_leave_early = false;  // further exits: `trips` and `most` are upper bounds
  bool waits = false;            // repeats until memory or a barrier object changes (a spin)
  // A parameter that start, bound or step come from, else kNoId.
  ptx::SymbolId parameter = kNoId;
  int64_t step = 0;  // of the counter a trip; 0 when no counter was found or it is not a constant
  LoopCounter counter;
};

// By LoopId; nothing is known in functions that are too complex. A loop has a count when a test
// that runs on every trip compares a counter with something that does not change in the loop;
// signed, unsigned and wrapping compares, tests at the top and at the bottom, counters up and down,
// advanced in several places (unrolled), by constants or by block and grid sizes are followed.
std::vector<TripCount> trip_counts(const FlowFacts& flow, const KnownValues& known = {});

// "ceil((n - %tid.x) / %ntid.x)": the trips in terms of parameters, special registers and what else
// enters; empty without a counter. For readers, not for parsing.
std::string describe_trips(const FlowFacts& flow, const TripCount& trips);

// What a loop counts for: its trips, else `default_trips` kept between least and most; 1 for one
// that waits. By loop.
std::vector<double> expected_trips(std::span<const TripCount> trips, double default_trips);

// By block: the product of its loops' expected trips, at most 1e12. Unreachable blocks weigh 0.
std::vector<double> block_weights(const FlowFacts& flow, const std::vector<TripCount>& trips,
                                  double default_trips);

}  // namespace pitot::analysis
