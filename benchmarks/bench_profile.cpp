// `profile` as a library: a large tiled GEMM and a transpose, with 8 blocks executed; what watching
// costs is the difference to bench_emulator.
#include <benchmark/benchmark.h>

#include "device/prepare.h"
#include "profile/profile.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace {

using namespace pitot;

void profile_kernel(benchmark::State& state, const std::string& name, const device::Sizes& sizes) {
  const std::string folder = PITOT_SOURCE_DIR "/kernels/cuda/" + name + "/";
  auto text = read_file(folder + name + ".kernel.toml");
  auto ptx = read_file(folder + name + ".sm90.ptx");
  if (!text || !ptx) return state.SkipWithError("the kernel is not there");
  Diagnostics found;
  const auto spec = device::read_spec(SourceText(name, *text), found);
  auto program = emulator::load(std::make_shared<ptx::Module>(ptx::parse(name, *ptx)));
  if (!program) return state.SkipWithError("the kernel is not loaded");
  const auto kernel = program->find_kernel(spec.entry);
  profile::ProfileOptions options;
  options.gpu = *arch::find_gpu("H200");
  options.blocks = static_cast<uint64_t>(state.range(0));
  double executed = 0;
  for (auto _ : state) {
    auto ready = device::prepare(*program, *kernel, spec, {"full", sizes}, 1, true);
    if (!ready) return state.SkipWithError("the launch is not made");
    auto r = profile::profile(*program, *kernel, ready->launch, *ready->memory, options);
    if (!r || !r->ok()) return state.SkipWithError("the kernel does not run");
    executed += r->totals.thread_instructions * static_cast<double>(r->sampled_blocks) /
                static_cast<double>(r->blocks);
  }
  state.counters["thread instructions"] = benchmark::Counter(executed, benchmark::Counter::kIsRate);
}

void BM_ProfileGemm(benchmark::State& state) {
  profile_kernel(state, "gemm_tiled", {{"m", 4096}, {"n", 4096}, {"k", 4096}});
}
BENCHMARK(BM_ProfileGemm)->Arg(8)->Unit(benchmark::kMillisecond);

void BM_ProfileTranspose(benchmark::State& state) {
  profile_kernel(state, "transpose", {{"rows", 16384}, {"cols", 16384}});
}
BENCHMARK(BM_ProfileTranspose)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
