// Timings and comparisons of kernels in plain data: for the store and for reports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pitot::measure {

// What NVML says of the GPU at one moment; absent what it does not tell.
struct Telemetry {
  std::optional<double> sm_clock_mhz, memory_clock_mhz, temperature_c, power_w;
  std::optional<double> utilisation_percent, memory_utilisation_percent, memory_used_bytes;
  std::vector<std::string> throttle_reasons;  // "power cap", "thermal slowdown", …
};

// An estimate with its 95 % interval, in the unit of the estimate.
struct Estimate {
  double value = 0, lo = 0, hi = 0;
};

// The state of the L2 cache when a launch begins.
enum class CacheState : uint8_t { kWarm, kCold };

// One kernel at one size on one device.
struct MeasureRecord {
  // What was measured.
  std::string spec, ptx, kernel, size_text, size_kind;
  std::string ptx_hash, spec_hash;  // hexadecimal
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamic_shared = 0;  // bytes
  std::string producer;         // of the PTX, from its comment: "NVIDIA NVVM Compiler …"
  std::string target;           // of the PTX: "sm_80"
  // On what.
  std::string device;  // "cuda:0"
  std::string gpu, driver, tool;
  unsigned capability = 0;  // 90
  // How.
  std::string protocol;  // name and parameters: what must be equal for two records to compare
  CacheState cache = CacheState::kWarm;
  uint64_t seed = 0;
  std::string started;  // UTC, "2026-01-31T12:00:00Z"
  // What came of it. Times are of one launch, in milliseconds.
  bool ok = false;
  std::string reason;           // why not
  std::vector<double> samples;  // each the mean of `batch` launches
  uint32_t batch = 0;
  Estimate median;
  double mean = 0, deviation = 0, least = 0, most = 0;
  uint32_t outliers = 0;  // samples far from the median; they stay in all figures
  bool stable = false;    // warm-up ended because times had settled
  bool narrow = false;    // the interval is as narrow as was asked for
  double warmup_ms = 0;
  // What one launch moves if it reads once what the spec gives it and writes once what it gives
  // back: buffers and images that are in or out once, inout twice.
  std::optional<double> traffic_bytes;
  std::optional<double> cycles;  // SM clock, first instruction to last, of the slowest SM
  // The kernel as the driver loaded it.
  uint32_t registers = 0, local_bytes = 0, static_shared = 0, constant_bytes = 0;
  std::optional<uint32_t> estimated_registers;  // from the PTX; none of kernels beyond analysis
  uint32_t register_cap = 0;                    // by .maxnreg or launch bounds; 0: none below 255
  std::optional<double> occupancy;              // theoretical, 0…1
  std::optional<double> achieved_occupancy;  // 0…1, by hardware counters, where they were asked
  Telemetry before, after;
};

enum class Verdict : uint8_t { kFaster, kSlower, kSame, kFault };

// B against A: change of the time, −0.1 is ten percent faster.
struct CompareRecord {
  MeasureRecord a, b;           // without interleaving nothing of them is comparable but these two
  Estimate change;              // of the median time, B/A − 1
  double noise_band = 0;        // A against A stays within ± this in 99 % of such runs
  double least_detectable = 0;  // smallest change that is found in 80 % of such runs
  uint32_t rounds = 0, placements = 0;
  Verdict verdict = Verdict::kFault;
  std::string reason;  // of kFault, and why a small difference is not quoted
};

}  // namespace pitot::measure
