// When the GPU is warm and when there are enough samples.
#pragma once

#include <vector>

#include "measure/timed_kernel.h"

namespace pitot::measure {

struct WarmUp {
  bool stable = false;  // times had settled before the limit
  double ms = 0;        // it took
};

// Samples until their times have settled: at least the protocol's warm-up, at most its limit.
Result<WarmUp> warm_up(TimedKernel& kernel, const Protocol& protocol);

// Samples until the median's interval is narrow enough or the time or number is used up.
Result<std::vector<double>> take_samples(TimedKernel& kernel, const Protocol& protocol);

// Median, interval, spread and outliers of the record's samples.
void summarise(const Protocol& protocol, MeasureRecord& record);

}  // namespace pitot::measure
