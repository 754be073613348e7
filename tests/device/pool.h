// Programs compared by several processes at a time, so that a crash or an endless wait ends one
// program and not the run.
#pragma once

#include <functional>
#include <vector>

#include "compare.h"

namespace pitot::conformance {

struct PoolSettings {
  unsigned processes = 1;
  unsigned seconds = 60;        // that a program may take; the first of a process has the double
  double budget_seconds = 1e9;  // of the whole run: what is left then is not run
};

// Called for each program by its number; `last` is set when this process can run no more.
using CompareOne = std::function<Comparison(size_t program, bool& last)>;
// Made once in each process.
using MakeCompare = std::function<CompareOne(unsigned process)>;

// One comparison a program, in order. `progress` is told how many are done.
std::vector<Comparison> compare_all(size_t programs, const PoolSettings& settings,
                                    const MakeCompare& make,
                                    const std::function<void(size_t done)>& progress);

}  // namespace pitot::conformance
