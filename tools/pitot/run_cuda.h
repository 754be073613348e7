// Running a spec on a GPU for the verbs: the faults that a GPU reports get their place from the
// emulator, which runs the same data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// How the emulator ends, within seconds, with the data of a run that had a fault on a GPU.
struct EmulatedEnd {
  bool known = false;                     // it runs the kernel, and did not run out of time
  std::optional<device::RunFault> fault;  // its first; none: it runs to the end
};
// `kind`: of the GPU's fault. Only of "timeout" is running on and on an answer.
EmulatedEnd emulated_end(const std::shared_ptr<const ptx::Module>& module, uint32_t kernel,
                         const device::KernelSpec& spec, const device::SizeSpec& size,
                         uint64_t seed, std::string_view kind);

// What that says about a fault on a GPU, to be appended to its message: "; the emulator, on the
// same data: k.ptx:14, block (0, 0, 0), thread (3, 0, 0): …"; empty where it says nothing.
std::string emulated_words(const EmulatedEnd& end, const std::string& ptx);

}  // namespace pitot::cli
