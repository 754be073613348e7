// Makes a kernel's part of a recorded table: every program that the log has is found again by
// applying the transforms, and its features and ways on are noted.
#pragma once

#include "environment/recorded_table.h"
#include "search/log.h"
#include "search/search.h"

namespace pitot::environment {

// States are walked from the original, shortest sequences first, up to `max_steps` actions of the
// kind. A program that failed is kept, so that episodes can run into it, and not gone on from;
// ways to programs that the log has not are closed and counted. `log`: read as one of this kernel.
// Errors: costs that are not above 0 (their logarithm is the reward), an original without a cost, a
// transform whose output does not verify.
Result<RecordedKernel> record_kernel(const std::string& name, const search::Kernel& kernel,
                                     const search::History& log, search::PolicyKind kind,
                                     uint32_t max_steps);

}  // namespace pitot::environment
