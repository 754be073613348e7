// Running a spec on a GPU for the verbs: the faults that a GPU reports get their place from the
// emulator, which runs the same data.
#pragma once

#include <memory>
#include <string>

#include "cli.h"
#include "device/run_result.h"
#include "device/spec.h"
#include "ptx/module.h"

namespace pitot::cli {

struct GpuRunOptions {
  int number = 0;
  double seconds = 30;
};

// All sizes with these numbers in order; empty: all of the spec.
Result<std::vector<device::RunResult>> run_on_gpu(const std::shared_ptr<const ptx::Module>& module,
                                                  uint32_t kernel, const device::KernelSpec& spec,
                                                  const std::vector<size_t>& sizes, uint64_t seed,
                                                  const GpuRunOptions& gpu);

}  // namespace pitot::cli
