// Independent work items in several processes: what one of them breaks, exhausts or leaves locked
// is its own. Processes take items from one counter, so none waits for another.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "support/result.h"

namespace pitot {

struct WorkDone {
  size_t failed = 0;         // items for which `work` returned false
  std::vector<size_t> lost;  // items whose process died
};

// Calls work(i) for i in [0, count), each once, in up to `workers` processes. `progress` is called
// here with how many are done. A process that dies loses the item that it was at, and another takes
// its place. When this process dies the others do too. Fork before threads are started. With one
// worker everything happens in this process. Errors: no process could be started.
Result<WorkDone> work_in_processes(size_t count, unsigned workers,
                                   const std::function<bool(size_t)>& work,
                                   const std::function<void(size_t done)>& progress);

}  // namespace pitot
