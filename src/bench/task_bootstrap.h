// Means over tasks with 95 % bootstrap intervals: tasks are what is drawn, since a generator that
// is good at one is so with all its samples.
#pragma once

#include <cstdint>
#include <span>

#include "bench/scores_result.h"

namespace pitot::bench {

double mean(std::span<const double> values);  // 0 of none

// A value a task. The interval of a single task is a point.
Interval bootstrap(std::span<const double> values, uint64_t seed);

// Mean of b less mean of a, tasks of either drawn by themselves. 0 where one is empty.
Interval bootstrap_gap(std::span<const double> a, std::span<const double> b, uint64_t seed);

}  // namespace pitot::bench
