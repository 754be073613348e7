// What inspect says of kernels, as text and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/diagnostic_text.h"
#include "report/verify_report.h"

namespace pitot::report {

// Physical resources of one target, as ptxas reports them; absent where it printed nothing.
struct PtxasResources {
  bool accepted = false;
  bool rewritten = false;  // assembled for another target than the text names
  std::optional<uint64_t> registers, barriers, stack_frame, spill_stores, spill_loads, shared;
  std::vector<std::string> messages;  // warnings, errors and advisories, with their code
};

struct RegisterEstimate {
  uint64_t registers = 0;  // a thread
  double spill_bytes = 0;  // expected, of stores; 0: fits the limit well
  double wanted = 0;       // without the limit
};

struct OccupancyLine {
  std::string gpu;
  uint64_t threads = 0;
  uint64_t registers = 0;
  std::string registers_from;  // "ptxas" or "estimate"
  uint64_t shared = 0;
  uint64_t blocks = 0, warps = 0, max_warps = 0;
  double occupancy = 0;
  std::string limited_by;  // "registers", "warps, blocks"
  std::string hint;        // "40 registers instead of 44 would hold 12 blocks"; may be empty
  std::string problem;     // why the launch cannot run; empty if it can
};

struct RooflineLine {
  std::string gpu;
  double flops = 0, bytes = 0;  // a thread, loop-weighted
  double intensity = 0;         // flops a byte
  double ridge = 0;             // flops a byte where compute and memory meet
  std::string bound;            // "memory" or "compute"
};

struct LoopLine {
  uint32_t line = 0;
  uint32_t depth = 1;
  std::optional<uint64_t> trips;
  std::string trips_text;  // "n/4", "unknown"
  bool irreducible = false;
};

struct KernelInspection {
  std::string name, demangled;
  bool is_entry = true;
  uint32_t line = 0;
  std::vector<std::pair<std::string, double>> features;
  uint64_t compat_registers = 0, compat_spills = 0, compat_local_bytes = 0, compat_instructions = 0;
  uint64_t virtual_registers = 0;
  std::optional<uint64_t> pressure;  // nothing where the kernel is too complex to follow
  std::map<std::string, RegisterEstimate> estimated;  // by target
  std::map<std::string, PtxasResources> ptxas;        // by target
  std::string shared_text;                            // "4096 bytes", "dynamic (set at launch)"
  std::vector<OccupancyLine> occupancy;
  std::vector<RooflineLine> roofline;
  std::vector<LoopLine> loops;
  std::vector<LocatedDiagnostic> diagnostics;
};

struct InspectedFile {
  std::string path, version, target, producer;
  std::vector<KernelInspection> kernels;
  std::vector<LocatedDiagnostic> diagnostics;  // outside any kernel
};

std::string inspect_json(const std::vector<InspectedFile>& files);
// `all`: every feature, not only the main ones.
std::string inspect_text(const std::vector<InspectedFile>& files, const TextStyle& style, bool all);

// A number as short as it can be read back: integers without a point.
std::string number(double value);

}  // namespace pitot::report
