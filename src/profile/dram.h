// How much of what L2 is asked for has to come from DRAM, and what goes back there.
#pragma once

#include <vector>

#include "arch/gpu.h"
#include "profile/collector.h"
#include "profile/profile_result.h"
#include "profile/sample.h"

namespace pitot::profile {

// The part of L2 that a kernel's data can fill: an H200 begins to write back, and its hit rates
// fall, from two thirds of its size on (two partitions keep copies of what the other one owns).
inline constexpr double kUsableL2 = 2.0 / 3;

struct DramTraffic {
  std::vector<double> reads, writes;  // sectors of the whole launch, by operation
};

// Caches are empty at the start, unless `out` is warm. It has blocks, blocks_per_sm and waves; gets
// the footprint and notes.
//
// What the sample touches for the first time grows with the grid as it grew within the sample, a
// buffer at a time, and never exceeds the buffer. If what one wave of blocks works on fits in L2 it
// comes once. If not, that comes once a wave: what the first block of a run of neighbours reads,
// and, for each further block, what the neighbours in the sample were seen to add. What is written
// goes to DRAM as far as L2 cannot keep it until the kernel ends.
DramTraffic dram_traffic(const Collector& collector, const Sample& sample, const arch::Gpu& gpu,
                         ProfileResult& out);

}  // namespace pitot::profile
