// One run of one kernel with inferred arguments: every pointer has a region of its own, made page
// by page when it is touched.
#pragma once

#include <memory>
#include <vector>

#include "check/trial.h"
#include "emulator/launch.h"

namespace pitot::check {

inline constexpr uint64_t kRegionBytes = uint64_t{1} << 32;  // of a pointer
inline constexpr uint64_t kMiddle = kRegionBytes / 2;        // where it points

struct Run {
  std::unique_ptr<emulator::GlobalMemory> memory;
  std::vector<emulator::Region*> regions;  // by parameter; null for scalars and samplers
  emulator::Outcome outcome;

  // An element of a pointer's memory, counted from where it points, or of an image; 0 where nothing
  // is.
  uint64_t element(const Plan& plan, size_t parameter, int64_t index, unsigned bytes) const;
};

// The byte of a parameter's region that element 0 lies at.
inline uint64_t origin_of(const Parameter& p) {
  return p.kind == ParameterKind::kImage ? 0 : kMiddle;
}

// Bytes of an element before the launch, in place of what its sample has.
struct Override {
  size_t parameter = 0;
  int64_t index = 0;
  uint64_t bits = 0;
};

struct RunOptions {
  emulator::Checks checks;
  emulator::Follower* follower = nullptr;
  unsigned workers = 1;
  uint64_t seed = 0;  // of the order of the warps
  uint64_t budget = 0;
  const Override* override_one = nullptr;
};

// Grid, cluster, block and shared memory of a trial's launch.
void shape_of(const Side& side, const Plan& plan, const Trial& trial, emulator::Launch& launch);

// Errors are of the launch itself, as of emulator::execute.
Result<Run> run_kernel(const Side& side, const Plan& plan, const Trial& trial,
                       const RunOptions& options);

// Whether more or less of the same may work: the instructions or the memory ran out.
bool ran_out(const emulator::Outcome& outcome);

}  // namespace pitot::check
