// What `pitot transform` did, in plain data: for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::transform {

struct DeclineRecord {
  uint32_t line = 0;  // of the text before this step; 0: the kernel as a whole
  std::string reason;
};

struct StepRecord {
  std::string action;
  uint32_t changes = 0;  // places
  std::vector<DeclineRecord> declined;
};

struct MaskRecord {
  std::string action, state;  // "available", "applied", "conflict", "nothing"
  uint32_t changes = 0;
  std::string reason;
};

struct TransformRecord {
  std::string path, kernel, output;  // output: the file that was written; empty: none
  std::vector<StepRecord> steps;
  bool has_mask = false;
  std::vector<MaskRecord> mask;
};

struct ActionRecord {
  std::string name, group, what;
  bool exclusive = false;
};

}  // namespace pitot::transform
