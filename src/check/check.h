// Do two kernels compute the same? By their text when that settles it, else by running both on the
// emulator on inputs that a spec gives or that are inferred from the code.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "check/check_result.h"
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
};

Result<CheckResult> check_kernels(const Side& a, const Side& b, const Options& options);

}  // namespace pitot::check
