// Orders of a stretch that keep what must stay in order. Among equals the order of the source
// decides, so that an order that was written once comes out again.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "transform/stretch.h"

namespace pitot::transform {

// By priority, the highest first, of what is ready.
std::vector<uint32_t> by_priority(const StretchOrder& order, std::span<const uint32_t> priority);

// Nodes of both kinds in turns, `first_kind` first, as far as there are ready ones of the kind
// whose turn it is.
std::vector<uint32_t> in_turns(const StretchOrder& order, std::span<const uint8_t> kind,
                               uint8_t first_kind);

// The wanted nodes as early as can be, with what they wait for; those that wait for fewer outward
// nodes in a row come first.
std::vector<uint32_t> wanted_first(const StretchOrder& order, std::span<const uint8_t> wanted);
// The wanted nodes as late as can be, with what waits for them.
std::vector<uint32_t> wanted_last(const StretchOrder& order, std::span<const uint8_t> wanted);

// Puts every stretch of the kernel in the order that `arrange` gives.
using Arrange = std::function<std::vector<uint32_t>(const StretchOrder&, const Stretch&)>;
void reorder(Subject& subject, Edit& edit, const Arrange& arrange);

}  // namespace pitot::transform
