// Checks of what assemblers accept and hardware does not: faults that a kernel will have when it
// runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ptx/module.h"
#include "support/diagnostic.h"

namespace pitot::analysis {

struct LintOptions {
  // Shape of the thread block of every launch; .reqntid and .maxntid of the kernel where empty.
  std::optional<std::array<uint32_t, 3>> block;
  // Also what may be wrong but cannot be shown to be.
  bool pedantic = false;
};

// Appends findings for every function with a body. Errors are faults whenever the instruction
// executes, in any launch; warnings are faults under a condition that the message states. Codes:
//   misaligned-access   the address is not a multiple of the access size
//   window-generic      shared, local, constant or parameter address used as a generic one
//   space-mismatch      address of one state space used in another
//   nc-of-written       ld.global.nc of what the kernel writes
//   barrier-divergent   aligned barrier that not all lanes of a warp reach
//   aligned-divergent   another .aligned instruction that not all lanes of a warp reach
//   barrier-threads     thread count of a barrier that cannot be
//   uni-divergent       .uni on a branch whose predicate differs between lanes
//   membermask          member mask without the executing lane, or with lanes that never come
//   shfl-clamp          clamp or segment mask with which a shuffle moves nothing or is ill-formed
//   shared-race         shared memory read by other threads than wrote it, without a barrier
//   async-no-wait       asynchronous copies or matrix operations that nothing waits for
//   undefined-read      register read that was never written
//   too-complex         (warning) the function is beyond what is looked at, see FlowFacts
//   alignment-unproved  (pedantic) vector access whose alignment does not follow from the PTX
//   barrier-unproved    (pedantic) aligned barrier under a branch that is not proved uniform
void lint(const ptx::Module& module, const LintOptions& options, Diagnostics& out);

}  // namespace pitot::analysis
