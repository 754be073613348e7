// Tasks and how they hold up, in plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::bench {

struct TaskSummary {
  std::string name, title, kind, arithmetic;
  int difficulty = 1;
  uint32_t sizes = 0, timed = 0;
  bool has_private = false;
  std::string baseline;  // "H200, best of 24"; empty: none was chosen
};

// What validating a task found.
struct TaskHealth {
  TaskSummary task;
  std::vector<std::string> problems;  // none: it is sound
  std::vector<std::string> notes;
  uint32_t launches = 0;                  // of start and oracle that were compared
  double worst_error = 0, rms_error = 0;  // of the start kernel, in units of rounding
  double seconds = 0;
};

}  // namespace pitot::bench
