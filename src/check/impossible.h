// Branches that cannot go one way: what the block's shape and the hardware's limits alone decide,
// such as a remainder loop that no thread of a block of 128 comes to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/options.h"

namespace pitot::check {

// By operation of the kernel, counted from its first.
struct Impossible {
  std::vector<bool> taken, passed;  // a branch is never taken, or never passed
  std::vector<bool> code;           // no way that is possible leads there
};

// Without a block those of every launch that the kernel's own bounds allow.
Impossible impossible_ways(const Side& side, std::optional<std::array<uint32_t, 3>> block);

// The block of all sizes of a spec; nothing where they differ.
std::optional<std::array<uint32_t, 3>> block_of(const device::KernelSpec& spec);

}  // namespace pitot::check
