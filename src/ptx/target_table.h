// PTX ISA versions and compilation targets that exist, and the version that each target needs.
#pragma once

#include <cstdint>
#include <span>

#include "ptx/isa.h"

namespace pitot::ptx {

struct TargetRow {
  Target target;
  uint16_t version;  // the lowest PTX ISA version that knows it, major×10+minor
};

// All targets, lower ones first; of one number the plain target before `a` and `f`.
std::span<const TargetRow> known_targets();

// The row of a target, or null when there is no such target.
const TargetRow* find_target(Target target);

// Whether this PTX ISA version was released (6.6 or 7.9 never were). Up to 9.0 as ptxas 13.0 knows
// them.
bool version_exists(uint16_t version);

inline constexpr uint16_t kNewestVersion = 90;    // what the checks were compared with
inline constexpr uint16_t kNewestAnnounced = 92;  // documented, but newer than the comparison

}  // namespace pitot::ptx
