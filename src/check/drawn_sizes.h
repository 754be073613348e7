// Sizes of the order of a spec's own, for code that its sizes do not come to.
#pragma once

#include <cstdint>
#include <vector>

#include "device/spec.h"

namespace pitot::check {

// At most `count` different ones, drawn by the seed; none of the spec's. Each number is at least 1
// and a multiple of what all of the spec's sizes of that name are multiples of: a kernel may count
// on it. Nothing for a spec without sizes.
std::vector<device::Sizes> drawn_sizes(const device::KernelSpec& spec, size_t count, uint64_t seed);

}  // namespace pitot::check
