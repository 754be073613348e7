// What a check is asked for.
#pragma once

#include <cstdint>
#include <memory>

#include "device/spec.h"
#include "emulator/program.h"

namespace pitot::check {

struct Options {
  unsigned trials = 24;  // with inferred arguments
  uint64_t seed = 1;
  unsigned workers = 1;
  uint64_t budget = 4'000'000;               // warp instructions a run
  const device::KernelSpec* spec = nullptr;  // launch and arguments of both
};

// One side: a decoded module and the kernel in it.
struct Side {
  std::shared_ptr<const ptx::Module> module;
  const emulator::Program* program = nullptr;
  uint32_t kernel = 0;

  const ptx::Function& function() const { return module->functions[kernel]; }
};

}  // namespace pitot::check
