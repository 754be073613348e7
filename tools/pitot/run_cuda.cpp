#include "run_cuda.h"

#include <fmt/format.h>

#include "device/cuda_run.h"
#include "device/emulated.h"

namespace pitot::cli {
namespace {

// Seconds at most: the place of a fault is not worth more.
constexpr uint64_t kLocateBudget = uint64_t{1} << 26;
// Of a kernel that never ends: any place of its loop will do.
constexpr uint64_t kLoopBudget = uint64_t{1} << 23;

// Where a fault that has no line arose, if the emulator comes to one on the same data.
void locate(const EmulatedEnd& end, device::RunFault& fault) {
  if (!end.known) return;
  if (!end.fault) {
    fault.message += "; the emulator runs the same data without a fault";
    return;
  }
  const device::RunFault& first = *end.fault;
  fault.line = first.line;
  fault.thread = first.thread;
  fault.block = first.block;
  fault.address = first.address;
  fault.message += "; the emulator, on the same data: " + first.message;
}

}  // namespace

EmulatedEnd emulated_end(const std::shared_ptr<const ptx::Module>& module, uint32_t kernel,
                         const device::KernelSpec& spec, const device::SizeSpec& size,
                         uint64_t seed, std::string_view kind) {
  const bool endless = kind == "timeout";
  auto program = emulator::load(module);
  if (!program) return {};
  device::EmulatedOptions options;
  options.seed = seed;
  options.emulator.seed = seed;
  options.emulator.instruction_budget = endless ? kLoopBudget : kLocateBudget;
  auto r = device::run_emulated(*program, kernel, spec, size, options);
  if (!r) return {};
  EmulatedEnd end{true, std::nullopt};
  if (!r->ok()) end.fault = r->faults.front();
  const bool ran_out =
      end.fault && end.fault->kind == emulator::name_of(emulator::FaultKind::kBudget);
  if (ran_out && !endless) return {};
  return end;
}

std::string emulated_words(const EmulatedEnd& end, const std::string& ptx) {
  if (!end.known) return {};
  if (!end.fault) return "; the emulator runs the same data without a fault";
  const device::RunFault& f = *end.fault;
  const std::string line = f.line == 0 ? std::string() : fmt::format(":{}", f.line);
  const bool endless = f.kind == emulator::name_of(emulator::FaultKind::kBudget);
  return fmt::format(
      "; the emulator, on the same data: {}{}, block ({}), thread ({}): {}", ptx, line,
      fmt::join(f.block, ", "), fmt::join(f.thread, ", "),
      endless ? fmt::format("still running after {} warp instructions", kLoopBudget) : f.message);
}

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
        locate(emulated_end(module, kernel, spec, spec.sizes[i], seed, f.kind), f);
    out.push_back(std::move(*r));
  }
  return out;
}

}  // namespace pitot::cli
