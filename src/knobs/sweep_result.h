// What a sweep over knobs found, in plain data: a row a kernel, size and configuration.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pitot::knobs {

// The four counters of the study, in percent: achieved occupancy, L2 hit rate, DRAM throughput, SM
// throughput. As Nsight Compute names them: sm__warps_active, lts__t_sector_hit_rate,
// dram__throughput, sm__throughput.
inline constexpr size_t kCounters = 4;
inline constexpr std::array<const char*, kCounters> kCounterNames = {
    "achieved_occupancy", "l2_hit_rate", "dram_bw_pct", "sm_active_pct"};

struct SweepCounters {
  bool ok = false;
  std::string reason;  // why not
  std::string source;  // "ncu" or "emulated"
  std::array<std::optional<double>, kCounters> percent;
};

struct SweepRow {
  std::string kernel;
  int64_t matrix_size = 0;
  std::vector<int64_t> settings;  // one a knob of the sweep
  uint32_t threads_per_block = 0;
  std::optional<uint32_t> estimated_registers;  // a thread, from the PTX
  uint32_t registers = 0;                       // a thread, as loaded; 0: not known
  std::optional<double> occupancy;              // theoretical, 0…1
  // Of one launch, in milliseconds; not numbers where it did not run.
  double mean_ms = 0, deviation_ms = 0, least_ms = 0, most_ms = 0;
  std::optional<double> achieved_occupancy;  // 0…1
  std::string failure;                       // why it did not run; empty: it did
  std::optional<SweepCounters> counters;

  bool ok() const { return failure.empty(); }
};

struct SweepResult {
  std::vector<std::string> knobs = {"block_size", "reg_cap"};  // always these two first
  std::vector<SweepRow> rows;
};

// Where a sweep's rows come from: what is written beside the CSV, whose columns are all taken.
struct SweepProvenance {
  std::string source;  // "measured" or "modelled"
  std::string device, gpu, driver, protocol, started, tool;
  uint64_t seed = 0;
  struct From {
    std::string family, source, source_hash, compiler;
  };
  std::vector<From> templates;
  std::vector<std::string> counters;  // the metrics that were asked for
};

}  // namespace pitot::knobs
