// A profile in plain data: for reports and for whoever ranks kernels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pitot::profile {

// What is counted for a line, and in total, over the whole grid. Whole numbers; where only some
// blocks were executed they are scaled up, and totals are the sums of the lines.
struct ProfileCounts {
  double warp_instructions = 0;    // PTX operations issued by a warp
  double lane_slots = 0;           // lanes that came along in them
  double thread_instructions = 0;  // lanes that took part
  double branches_taken = 0, divergent_branches = 0;
  double global_requests = 0, global_sectors = 0, global_bytes = 0;
  double local_requests = 0, local_sectors = 0, local_bytes = 0;
  double bulk_sectors = 0;
  double shared_requests = 0, shared_passes = 0, shared_ideal = 0;
  double atomic_requests = 0, atomic_conflicts = 0;
  double constant_requests = 0, constant_words = 0;
  double wavefronts = 0;  // cycles of the load-store data path of an SM
  double l1_sectors = 0, l1_hits = 0;
  double l2_reads = 0, l2_writes = 0, l2_atomics = 0;  // sectors
  double dram_reads = 0, dram_writes = 0;              // sectors
  double machine_instructions = 0;  // what ptxas makes of the PTX operations, by the cost table
  double wait_cycles = 0;           // that warps stand before it, each alone on the GPU

  // Means and rates; 0 where there is nothing to divide by.
  double active_lanes() const;         // a warp instruction
  double sectors_per_request() const;  // global and local
  double bank_conflicts() const { return shared_passes - shared_ideal; }
  double l1_hit_rate() const;  // of the sectors that loads look up in L1
  double l2_hit_rate() const;  // of the sectors that L2 is asked to read
};

struct ProfileLine {
  uint32_t line = 0;
  std::string text;
  uint32_t operations = 0;  // PTX instructions that stand on it
  ProfileCounts counts;
  double share = 0;  // 0…1, of what the binding resource does
};

// The least number of cycles that one resource needs for the launch.
struct ProfileBound {
  std::string resource;          // "issue", "fma", …, "lsu", "l2", "dram", "latency"
  std::optional<double> cycles;  // none: a figure of the GPU is not known
  std::string what;              // what was divided by what
};

struct ProfileFault {
  std::string kind, message;
  uint32_t line = 0;
  std::array<uint32_t, 3> thread{}, block{};
};

struct ProfileResult {
  std::string kernel, ptx, size_text;
  std::string gpu, architecture;
  unsigned sm = 0;  // 90
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint64_t blocks = 0, sampled_blocks = 0;
  uint64_t executed = 0;  // warp instructions that really ran
  uint32_t registers = 0;
  std::string registers_from;  // "estimate", "given" or "ptxas"
  uint64_t shared_bytes = 0;   // a block, static and dynamic
  uint32_t blocks_per_sm = 0, warps_per_sm = 0, max_warps = 0;
  double occupancy = 0;  // resident warps of the most that fit, 0…1
  std::string limited_by;
  double waves = 0;                    // rounds in which the grid goes through the GPU
  uint64_t footprint_bytes = 0;        // of memory that the launch touches
  double atomic_sectors = 0;           // of global memory, that the sample's atomics went to
  bool warm = false;                   // L2 held all of the buffers before the launch
  uint64_t l1_bytes = 0;               // of an SM's L1, what shared memory leaves
  std::optional<double> block_cycles;  // mean of a block alone; none: a latency is not known
  std::vector<ProfileLine> lines;      // in order of the text; those with an instruction
  ProfileCounts totals;
  // Machine instructions of warps by unit ("fma", …), all units; "tensor": multiply-adds.
  std::vector<std::pair<std::string, double>> units;
  std::vector<ProfileBound> bounds;  // longest first, the unknown last
  double cycles = 0;                 // the longest bound that is known
  // Cycles: all bounds together, and the launch itself. None where a bound is not known.
  std::optional<double> estimate;
  std::optional<double> seconds;  // of the estimate, at the boost clock
  // By the names of Nsight Compute's metrics; none where it hangs on a bound that is not known.
  std::vector<std::pair<std::string, std::optional<double>>> ncu;
  std::vector<std::string> notes;  // what is not known or only estimated
  std::vector<ProfileFault> faults;
  bool ok() const { return faults.empty(); }
  // Every bound is known, so that the first of them is what binds.
  bool complete() const { return !bounds.empty() && bounds.back().cycles.has_value(); }
};

}  // namespace pitot::profile
