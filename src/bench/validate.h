// Is a task sound? Its start kernel against its oracle, on all kinds of data and many drawn sizes,
// and through the judge; its baseline likewise.
#pragma once

#include "bench/task.h"
#include "bench/task_result.h"

namespace pitot::bench {

TaskSummary summary_of(const Task& task);

struct ValidateOptions {
  uint64_t seed = 1;
  unsigned drawn = 24;  // private sizes
};
// Errors: of reading files; what is wrong with the task is in `problems`.
Result<TaskHealth> validate(const Task& task, const ValidateOptions& options);

}  // namespace pitot::bench
