// The emulator in thread instructions a second, counted by itself as it executes them: a fp32 GEMM
// through shared memory, one of tensor products, a memory-bound and a branching kernel; without
// checks and with them, on one worker and on two.
#include <benchmark/benchmark.h>

#include <ctime>
#include <filesystem>

#include "device/emulated.h"
#include "emulator/program.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace {

using namespace pitot;

struct Kernel {
  emulator::Program program;
  device::KernelSpec spec;
  uint32_t index = 0;
};

Result<Kernel> kernel(const std::string& name) {
  const std::string directory = PITOT_SOURCE_DIR "/kernels/cuda/" + name + "/";
  Kernel k;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.path().string().ends_with(".kernel.toml")) continue;
    auto text = read_file(entry.path().string());
    if (!text) return text.error();
    Diagnostics found;
    k.spec = device::read_spec(SourceText(entry.path().string(), *text), found);
    break;
  }
  auto ptx = read_file(k.spec.beside(k.spec.ptx));
  if (!ptx) return ptx.error();
  auto program = emulator::load(std::make_shared<ptx::Module>(ptx::parse(k.spec.ptx, *ptx)));
  if (!program) return program.error();
  k.program = std::move(*program);
  auto index = k.program.find_kernel(k.spec.entry);
  if (!index) return index.error();
  k.index = *index;
  return k;
}

// arg 0: 1: undefined values and copies are checked, 2: races too; arg 1: workers.
void emulate(benchmark::State& state, const std::string& name, const device::Sizes& sizes) {
  auto k = kernel(name);
  if (!k) return state.SkipWithError(k.error().message.c_str());
  device::EmulatedOptions options;
  options.emulator.checks.uninitialised = options.emulator.checks.async_copies =
      state.range(0) != 0;
  options.emulator.checks.races = state.range(0) == 2;
  options.emulator.workers = static_cast<unsigned>(state.range(1));
  uint64_t threads = 0, warps = 0;
  double seconds = 0, cpu = 0;
  for (auto _ : state) {
    const std::clock_t before = std::clock();
    auto r = device::run_emulated(k->program, k->index, k->spec, {"full", sizes}, options);
    if (!r || !r->ok()) return state.SkipWithError("the kernel does not run");
    cpu += static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    threads += r->thread_instructions;
    warps += r->warp_instructions;
    seconds += r->seconds;
    state.SetIterationTime(r->seconds);
  }
  state.counters["thread_instructions/s"] =
      benchmark::Counter(static_cast<double>(threads) / seconds);
  // On a busy machine the wall's figure says little; setting up the buffers is in this one.
  state.counters["thread_instructions/cpu_s"] =
      benchmark::Counter(static_cast<double>(threads) / cpu);
  state.counters["lanes"] = static_cast<double>(threads) / static_cast<double>(warps);
}

void gemm_tiled(benchmark::State& state) {
  emulate(state, "gemm_tiled", {{"m", 256}, {"n", 256}, {"k", 256}});
}
BENCHMARK(gemm_tiled)
    ->ArgNames({"checks", "workers"})
    ->ArgsProduct({{0, 1, 2}, {1, 2}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void saxpy(benchmark::State& state) { emulate(state, "saxpy", {{"n", 1 << 20}}); }
BENCHMARK(saxpy)
    ->ArgNames({"checks", "workers"})
    ->ArgsProduct({{0, 1, 2}, {1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// 65,536 mma.m16n8k16: one in 30 warp instructions.
void gemm_mma(benchmark::State& state) {
  emulate(state, "gemm_mma", {{"m", 512}, {"n", 512}, {"k", 512}});
}
BENCHMARK(gemm_mma)
    ->ArgNames({"checks", "workers"})
    ->ArgsProduct({{0, 1, 2}, {1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void mandelbrot(benchmark::State& state) {
  emulate(state, "mandelbrot", {{"n", 1 << 16}, {"width", 256}});
}
BENCHMARK(mandelbrot)
    ->ArgNames({"checks", "workers"})
    ->ArgsProduct({{0, 1, 2}, {1}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
