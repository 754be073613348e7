#include "run_cuda.h"

#include <fmt/format.h>

#include "device/cuda_run.h"
#include "device/emulated.h"

namespace pitot::cli {
namespace {

// Seconds at most: the place of a fault is not worth more.
constexpr uint64_t kLocateBudget = uint64_t{1} << 26;

// Where a fault that has no line arose, if the emulator comes to one on the same data.
void locate(const std::shared_ptr<const ptx::Module>& module, uint32_t kernel,
            const device::KernelSpec& spec, const device::SizeSpec& size, uint64_t seed,
            device::RunFault& fault) {
  auto program = emulator::load(module);
  if (!program) return;
  device::EmulatedOptions options;
  options.seed = seed;
  options.emulator.seed = seed;
  options.emulator.instruction_budget = kLocateBudget;
  auto r = device::run_emulated(*program, kernel, spec, size, options);
  if (!r) return;
  if (r->ok()) {
    fault.message += "; the emulator runs the same data without a fault";
    return;
  }
  const device::RunFault& first = r->faults.front();
  fault.line = first.line;
  fault.thread = first.thread;
  fault.block = first.block;
  fault.address = first.address;
  fault.message += "; the emulator, on the same data: " + first.message;
}

}  // namespace

Result<std::vector<device::RunResult>> run_on_gpu(const std::shared_ptr<const ptx::Module>& module,
                                                  uint32_t kernel, const device::KernelSpec& spec,
                                                  const std::vector<size_t>& sizes, uint64_t seed,
                                                  const GpuRunOptions& gpu) {
  device::CudaOptions options;
  options.number = gpu.number;
  options.seed = seed;
  options.seconds = gpu.seconds;
  device::CudaRunner runner(*module, kernel, spec, options);
  std::vector<device::RunResult> out;
  for (const size_t i : sizes) {
    auto r = runner.run(spec.sizes[i]);
    if (!r) return r.error();
    for (device::RunFault& f : r->faults)
      if (f.kind != "compile" && f.kind != "launch" && f.kind != "lost")
        locate(module, kernel, spec, spec.sizes[i], seed, f);
    out.push_back(std::move(*r));
  }
  return out;
}

}  // namespace pitot::cli
