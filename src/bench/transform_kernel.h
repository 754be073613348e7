// A task's kernel as transforms and searches take it.
#pragma once

#include <string>

#include "bench/task.h"
#include "search/search.h"

namespace pitot::bench {

// `text` of the task's kernel, with what the task states of every launch. Errors: PTX with errors.
Result<search::Kernel> transform_kernel(const Task& task, const std::string& text);

}  // namespace pitot::bench
