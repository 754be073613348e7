// What a check is asked for.
#pragma once

#include <cstdint>
#include <memory>

#include "device/spec.h"
#include "emulator/program.h"

namespace pitot::check {

inline constexpr uint64_t kInferredBudget = 4'000'000;
inline constexpr uint64_t kSpecBudget = uint64_t{1} << 30;  // a spec means what it says

// What the second kernel may need of instructions where the first needed `a`: many times as many,
// and never so few that what comes before a loop counts. At most the budget.
uint64_t patience(uint64_t a, uint64_t budget);
// Whether a kernel that has not ended after so many, where the first ended after `a`, hangs.
bool hangs(uint64_t after, uint64_t a);

struct Options {
  unsigned trials = 24;  // with inferred arguments
  uint64_t seed = 1;
  unsigned workers = 1;
  uint64_t budget = 0;       // warp instructions a run; 0: kInferredBudget, with a spec kSpecBudget
  uint32_t multiple_of = 1;  // inferred integers are multiples of it
  const device::KernelSpec* spec = nullptr;  // launch and arguments of both

  uint64_t most_instructions() const {
    return budget != 0 ? budget : spec != nullptr ? kSpecBudget : kInferredBudget;
  }
};

// One side: a decoded module and the kernel in it.
struct Side {
  std::shared_ptr<const ptx::Module> module;
  const emulator::Program* program = nullptr;
  uint32_t kernel = 0;

  const ptx::Function& function() const { return module->functions[kernel]; }
};

}  // namespace pitot::check
