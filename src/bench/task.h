// A task of PTXBench: what a candidate has to compute, on what, how exactly, and what it is
// measured against. Read from a folder's task.toml (docs/bench-tasks.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/spec.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::bench {

// A size that is drawn: log-uniform between the two, a whole multiple.
struct SizeRange {
  int64_t from = 1, to = 1, multiple = 1;
  uint32_t line = 0;
};

struct Accuracy {
  // That sums and products are made in; kNone: integers, which are exact.
  ptx::Type arithmetic = ptx::Type::kNone;
  std::string length = "1";  // terms of the longest sum behind an element, of the sizes
  double operations = 4;     // roundings on the way of one term besides those of the sum
  bool special = true;       // judged on NaN, infinities, −0, subnormal and huge numbers too
  bool any_values = true;    // judged on data other than the arguments' own too
  bool repeatable = true;    // the same bits from run to run
};

struct Roofline {
  std::string flops, bytes;  // of the sizes; empty: not said
  bool tensor = false;       // the flops run on tensor cores
};

// The strongest kernel known, chosen by measurement (baseline.toml).
struct Baseline {
  device::KernelSpec spec;  // the task's arguments, its own file, entry and launch
  std::string gpu, date;
  uint32_t among = 0;  // programs that were measured
};

struct Task {
  std::string path, folder, name;  // of task.toml; its directory; the directory's name
  std::string title, kind, description;
  int difficulty = 1;  // 1 … 5
  std::string entry;
  device::KernelSpec spec;  // of the start kernel, with the public sizes to check at
  std::vector<device::SizeSpec> timed;
  std::map<std::string, SizeRange, std::less<>> ranges;  // of private sizes
  std::string tuned_source;  // of the kernels that the baseline is chosen from; empty: none
  std::string volume;        // what a drawn size must fulfil; empty: -
  Accuracy accuracy;
  device::KernelSpec oracle;  // its outputs in double, and a scale for each (docs/bench-tasks.md)
  Roofline roofline;
  std::optional<Baseline> baseline;

  std::string beside(const std::string& file) const;
  // "start.sm90.ptx" for 90; the next lower one that is there, empty where there is none.
  std::string start_for(unsigned sm) const;
};

// Complaints are located. The task is meaningless when there were errors.
Task read_task(const SourceText& source, Diagnostics& out);

// The baseline beside a task, when there is a baseline.toml; complaints go to `out`, of the source
// that is returned with it.
struct BaselineFile {
  std::optional<SourceText> source;
  Diagnostics diagnostics;
};
BaselineFile read_baseline(Task& task);

// Folders with a task.toml: `path` itself, or those below it, by name. Errors: there are none.
Result<std::vector<std::string>> task_folders(const std::string& path);

}  // namespace pitot::bench
