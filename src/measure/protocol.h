// How kernels are timed: what a sample is, when the GPU is warm, when there are enough samples.
//
// A sample is a graph of `batch` launches between two events, divided by their number; warm, all on
// the same buffers; cold, each on buffers of its own that nothing touched since L2 was filled with
// other data. Buffers that the kernel changes are restored before a sample, outside of the time.
// No sample is thrown away: the median bears outliers, which are counted.
#pragma once

#include <cstdint>
#include <string>

#include "measure/measure_result.h"

namespace pitot::measure {

struct Protocol {
  CacheState cache = CacheState::kWarm;
  double batch_ms = 1;  // wanted length of a sample
  uint32_t max_batch = 256;
  double half_width = 0.005;  // wanted half width of the median's interval, relative
  double seconds = 2;         // sampling of one kernel at most
  uint32_t min_samples = 20, max_samples = 2000;
  double warmup_seconds = 0.05, warmup_limit_seconds = 1;
  bool cycles = true;       // SM cycles too, for which a second copy of the kernel is compiled
  uint32_t placements = 8;  // of a comparison: modules are loaded anew
};

// What must be equal for two records to be compared: "graph/1 warm batch=1ms …".
std::string describe(const Protocol& protocol);
std::string describe_comparison(const Protocol& protocol);

}  // namespace pitot::measure
