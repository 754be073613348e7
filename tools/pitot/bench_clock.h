// The clock of PTXBench's third tier without a GPU: the modelled time of a kernel's launch.
#pragma once

#include "arch/gpu.h"
#include "bench/judge.h"

namespace pitot::cli {

// Microseconds by the untrained score over sampled blocks (docs/predict-features.md). A kernel that
// would spill much more than it does is not timed: the model does not count spills.
// Quick: over fewer blocks, for searches, which compare many programs of one kernel.
enum class ClockCare : uint8_t { kFull, kQuick };
bench::Clock modelled_clock(const arch::Gpu& gpu, uint64_t seed, ClockCare care = ClockCare::kFull);

}  // namespace pitot::cli
