// A recorded table: what every program of some kernels costs and where every action leads, so that
// episodes are look-ups.
//
// A state of an episode is a program and the set of actions that were taken; the mask and the
// history follow from these two, so programs are all that is stored. Two texts of one program (one
// canonical form) are taken to have the same ways on.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "search/cost.h"
#include "search/observation.h"
#include "support/hash.h"

namespace pitot::environment {

inline constexpr uint32_t kNowhere = UINT32_MAX;

struct RecordedProgram {
  Hash128 hash;  // of the canonical form
  std::array<float, search::kWideFeatures> features{};
  search::CostValue value;  // of programs with one image the same: the mean of what was measured
  // What rewards and figures are of: the same number for programs that cannot be told apart.
  // Meaningless where the value is a failure.
  double level = 0;
  uint32_t image = kNowhere;  // programs of one number are the same machine code; not known
  // By action: the program it leads to. kNowhere: it changes nothing, may not be taken in any
  // state of the program, or leads to a program that was not measured.
  std::array<uint32_t, transform::kActions> to{};
};

struct RecordedKernel {
  std::string name;
  std::vector<RecordedProgram> programs;  // the original is the first
  // Actions on programs that lead to programs which nobody measured: they are closed.
  uint64_t unmeasured = 0;
  uint64_t levels = 0;  // distinct ones
  const RecordedProgram& original() const { return programs[0]; }
};

struct RecordedTable {
  std::string tool;  // that made it
  std::string cost;  // what was measured: the part of the logs' heads that they share
  uint32_t max_steps = 6;
  search::PolicyKind kind = search::PolicyKind::kWide;  // whose actions it has
  std::vector<RecordedKernel> kernels;                  // by name
  Hash128 hash;  // of the file's content; set by reading and writing
};

// Rewards are log(cost before / cost after); what is below this is none.
inline constexpr double kDeadZone = 0.01;

// Sets `level` of every program: sorted by cost, a level begins at a program and has those whose
// interval touches its own; its number is their median. Programs without a cost have none.
void set_levels(RecordedKernel& kernel);

// log(level of the original / level of the program), 0 within the dead zone and for failures: a
// program that does not work is rolled back, so the kernel is as fast as it was. (A penalty would
// make a policy shy of whole actions for the sake of few kernels.)
double reward_of(const RecordedKernel& kernel, uint32_t program);

}  // namespace pitot::environment
