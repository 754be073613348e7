// In which order the fragments of a warp should run so that lanes that parted meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/flow_facts.h"

namespace pitot::emulator {

// By instruction of the function: a number that is lower the earlier it should run. Every block of
// a loop comes before the blocks that the loop leaves to, so that lanes wait at the exit for those
// that go round again; other blocks come in topological order. `leaders` gets the first instruction
// of every block.
std::vector<uint32_t> scheduling_order(const analysis::Cfg& cfg, const analysis::LoopForest& loops,
                                       uint32_t instructions, std::vector<bool>& leaders);

}  // namespace pitot::emulator
