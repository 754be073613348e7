// The targets' rows: PTX ISA, "Release Notes", and the versions that ptxas 13.0 insists on.
#include "ptx/target_table.h"

#include <algorithm>

namespace pitot::ptx {
namespace {

constexpr TargetRow kTargets[] = {
    {{10, 0}, 10},    {{11, 0}, 10},    {{12, 0}, 12},    {{13, 0}, 12},    {{20, 0}, 20},
    {{21, 0}, 20},    {{30, 0}, 30},    {{32, 0}, 40},    {{35, 0}, 31},    {{37, 0}, 41},
    {{50, 0}, 40},    {{52, 0}, 41},    {{53, 0}, 42},    {{60, 0}, 50},    {{61, 0}, 50},
    {{62, 0}, 50},    {{70, 0}, 60},    {{72, 0}, 61},    {{75, 0}, 63},    {{80, 0}, 70},
    {{82, 0}, 65},    {{86, 0}, 71},    {{87, 0}, 74},    {{88, 0}, 73},    {{89, 0}, 78},
    {{90, 0}, 78},    {{90, 'a'}, 80},  {{100, 0}, 86},   {{100, 'a'}, 86}, {{100, 'f'}, 88},
    {{101, 0}, 86},   {{101, 'a'}, 86}, {{101, 'f'}, 88}, {{103, 0}, 88},   {{103, 'a'}, 88},
    {{103, 'f'}, 88}, {{110, 0}, 90},   {{110, 'a'}, 90}, {{110, 'f'}, 90}, {{120, 0}, 87},
    {{120, 'a'}, 87}, {{120, 'f'}, 88}, {{121, 0}, 88},   {{121, 'a'}, 88}, {{121, 'f'}, 88},
};

}  // namespace

std::span<const TargetRow> known_targets() { return kTargets; }

const TargetRow* find_target(Target target) {
  auto it = std::find_if(std::begin(kTargets), std::end(kTargets),
                         [&](const TargetRow& row) { return row.target == target; });
  return it == std::end(kTargets) ? nullptr : it;
}

bool version_exists(uint16_t version) {
  switch (version / 10) {
    case 1:
      return version <= 15;
    case 2:
      return version <= 23;
    case 3:
      return version <= 32;
    case 4:
      return version <= 43;
    case 5:
      return version <= 51;
    case 6:
      return version <= 65;
    case 7:
      return version <= 78;
    case 8:
      return version <= 88;
    case 9:
      return version <= kNewestAnnounced;
    default:
      return false;
  }
}

}  // namespace pitot::ptx
