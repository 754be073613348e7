// What a launch may be at most on a target, whatever the chip.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace pitot::arch {

// The same for every compute capability from 3.0 on (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
inline constexpr std::array<uint32_t, 3> kMostGrid{2147483647, 65535, 65535};
inline constexpr std::array<uint32_t, 3> kMostBlock{1024, 1024, 64};

struct LaunchShape {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint64_t shared = 0;  // bytes of a block, static and dynamic
};

enum class LaunchPart : uint8_t { kGrid, kBlock, kCluster, kShared };

struct ShapeProblem {
  LaunchPart part = LaunchPart::kGrid;
  std::string message;  // with the target and its limit
};

// The first thing that no GPU of compute capability `sm` (86 for 8.6) takes. Limits that the table
// does not have are not checked.
std::optional<ShapeProblem> launch_problem(const LaunchShape& launch, unsigned sm);

// Bytes of shared memory that a block may have at most, with opt-in; 48 KiB, which every GPU has,
// where the table lacks the capability.
uint32_t most_shared(unsigned sm);

}  // namespace pitot::arch
