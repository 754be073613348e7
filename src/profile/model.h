// From counts to cycles: what each resource of the GPU needs for the launch, and which needs most.
// docs/profile-model.md has the formulas and where their figures come from.
#pragma once

#include "arch/gpu.h"
#include "arch/occupancy.h"
#include "profile/collector.h"
#include "profile/profile_result.h"
#include "profile/sample.h"

namespace pitot::profile {

struct ModelInput {
  const emulator::Program& program;
  const std::vector<OpFacts>& facts;
  const Collector& collector;
  const Sample& sample;
  const arch::Gpu& gpu;
  const arch::Occupancy& occupancy;
};

// Fills in lines, totals, bounds, cycles, score, seconds, ncu and notes. `out` has blocks,
// blocks_per_sm and waves already.
void apply_model(const ModelInput& input, ProfileResult& out);

}  // namespace pitot::profile
