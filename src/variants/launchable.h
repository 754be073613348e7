// Whether a GPU can launch a kernel at all: threads, registers, shared memory, clusters and the
// bounds that the kernel states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arch/gpu.h"
#include "arch/launch_limits.h"

namespace pitot::variants {

struct LaunchNeeds {
  arch::LaunchShape shape;          // with shared memory, static and dynamic together
  uint64_t static_shared = 0;       // bytes of it that the module declares
  uint32_t registers = 0;           // a thread
  bool registers_estimated = true;  // by us, and not ptxas' word
  uint32_t barriers = 0;            // named ones; 0: not known
  // .maxntid (product) and .reqntid; absent: the kernel does not say.
  std::optional<uint64_t> most_threads;
  std::optional<std::array<uint32_t, 3>> exact_block;
};

enum class CanLaunch : uint8_t { kYes, kNo, kUnsure };
const char* to_string(CanLaunch answer);  // "yes", "no", "unsure"

struct LaunchAnswer {
  CanLaunch answer = CanLaunch::kYes;
  std::string reason;  // why not, or what it rests on; empty for a plain yes
};

// Of a GPU of this compute capability. Unsure: only if estimated registers are right does it not
// run.
LaunchAnswer can_launch(const arch::Capability& capability, const LaunchNeeds& needs);

}  // namespace pitot::variants
