// The emulated backend: runs a spec's kernel on the CPU.
#pragma once

#include "device/run_result.h"
#include "device/spec.h"
#include "emulator/launch.h"

namespace pitot::device {

struct EmulatedOptions {
  emulator::Options emulator;
  uint64_t seed = 0;  // of the buffers' values
};

// One size of the spec on an already loaded program. Errors: expressions that do not evaluate,
// arguments that do not match the kernel's parameters.
// As a variable of the module is declared; arrays of bytes, which nvcc makes of everything, as
// words.
ptx::Type variable_type(const ptx::Module& module, std::string_view name);

Result<RunResult> run_emulated(const emulator::Program& program, uint32_t kernel,
                               const KernelSpec& spec, const SizeSpec& size,
                               const EmulatedOptions& options);

}  // namespace pitot::device
