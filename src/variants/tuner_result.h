// What another tuner's file says: its configurations, their times as it gives them, and what is
// suspicious about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pitot::variants {

// Something to know before the numbers are believed.
struct Suspicion {
  std::string code;     // "unit-assumed", "same-times", …: docs/variants.md lists them
  std::string message;  // with figures
  uint32_t line = 0;    // in the file, where it first shows; 0: all of it
  size_t rows = 0;      // how many it is about; 0: the file
};

// One configuration that the tuner tried.
struct TunerRow {
  std::string variant;              // a file name made of the values
  std::vector<std::string> values;  // one a parameter
  std::string status;               // of a data set: ok, compile_failed, launch_failed, …
  std::string message;              // the tuner's own word for it
  std::optional<double> median_us, lo_us, hi_us;  // lo and hi: 95 % interval of the median
  std::optional<double> power_w;        // board power while it ran, as its NVML observer keeps it
  size_t samples = 0;                   // 0: only a summary was kept
  std::vector<std::string> suspicions;  // codes
  std::string timestamp;
  uint32_t line = 0;  // in the file, from 1
};

struct TunerResult {
  std::string path;
  std::string format;  // "Kernel Tuner cache 1.1.0", "T4 1.0.0"
  std::string kernel, device;
  std::vector<std::string> problem_size;  // numbers or expressions, up to three
  std::vector<std::string> parameters;
  std::string objective, unit;  // of what was minimised or maximised; unit of the times
  std::vector<TunerRow> rows;
  std::vector<Suspicion> suspicions;
};

}  // namespace pitot::variants
