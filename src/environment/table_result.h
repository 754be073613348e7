// What a recorded table has, in plain data: for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pitot::environment {

struct TableKernel {
  std::string name;
  uint64_t programs = 0, failed = 0;  // failed: among them
  uint64_t levels = 0;                // costs that can be told apart
  uint64_t images = 0;                // distinct machine codes, of programs where it is known
  uint64_t unmeasured = 0;            // actions that lead to programs nobody measured: closed
  double original = 0, best = 0;      // levels, in the cost's unit
};

struct TableResult {
  std::string path, cost, hash, kind;
  uint32_t max_steps = 0;
  std::vector<TableKernel> kernels;
};

}  // namespace pitot::environment
