// Text, JSON and CSV of hardware counters.
#pragma once

#include <string>
#include <vector>

#include "measure/counters_result.h"

namespace pitot::report {

std::string counters_text(const measure::KernelCounters& counters);
// {schema: "pitot.profile/1", device, kernel, size, counters: {metric: value}} of the first launch,
// and `runs` with the same of each.
std::string counters_json(const std::vector<measure::KernelCounters>& counters);
// A row a launch, a column a metric.
std::string counters_csv(const std::vector<measure::KernelCounters>& counters);

}  // namespace pitot::report
