// The tasks that the bench verbs work on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/task.h"
#include "cli.h"

namespace pitot::cli {

inline constexpr const char* kDefaultTasks = "kernels/tasks";

// Tasks of a folder (or of several), or of the names among them; complaints are printed, a task
// with errors is left out and makes the exit code 2.
std::vector<std::unique_ptr<const bench::Task>> read_tasks(const std::vector<std::string>& folders,
                                                           const std::vector<std::string>& names,
                                                           Options& options);

}  // namespace pitot::cli
