// Hardware counters of one launch by Nsight Compute (ncu), run as a program of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/counters_result.h"
#include "support/result.h"

namespace pitot::measure {

// The launches of an `ncu --csv --page raw` report, which may stand between a program's own lines.
// Errors: no report in the text (with what ncu says instead).
Result<std::vector<KernelCounters>> parse_ncu_csv(std::string_view text);

// Metrics that speak of the same things as the emulator's profile, and the four that tuning studies
// read: achieved occupancy, L2 hit rate, DRAM and SM throughput.
const std::vector<std::string>& default_metrics();

struct CounterOptions {
  std::string ncu = "ncu";
  std::vector<std::string> metrics = default_metrics();
  double seconds = 120;  // the profiled program is stopped after that
};

// Runs `command` under ncu, clocks left as they are, and gives the counters of every launch of
// `kernel`, in the order of time and of the metrics asked for; those that ncu does not tell are
// absent. Errors: kMissing without ncu; kFailed with the reason: the time limit, no permission to
// read counters, no such launch, a metric that the GPU does not have.
Result<std::vector<KernelCounters>> count_all(const std::vector<std::string>& command,
                                              const std::string& kernel,
                                              const CounterOptions& options);
// Of the first launch alone.
Result<KernelCounters> count(const std::vector<std::string>& command, const std::string& kernel,
                             const CounterOptions& options);

}  // namespace pitot::measure
