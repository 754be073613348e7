// One transform on a kernel of about 40 KB, as `transform` does it: parse and verify, apply, parse
// and verify what came out. Each action alone on each of some kernels; what a search does a step.
#include <benchmark/benchmark.h>

#include "ptx/parser.h"
#include "support/file.h"
#include "transform/apply.h"

namespace {

using namespace pitot;

// 34 to 46 KB each, without debug information or with it (the corpus).
constexpr std::string_view kKernels[] = {
    "kernels/pairs/flash_attention/flash_attention_right.sm75.ptx",
    "kernels/pairs/matmul/matmul_right.64x64x32.sm100a.ptx",
    "kernels/regressions/spill_growth/before.sm90.ptx",
    "kernels/triton/attention_causal/attention_causal.D128.sm90a.ptx",
    "kernels/triton/attention_full/attention_full.kv128.sm90a.ptx",
    "kernels/triton/matmul/matmul.bf16.sm80.ptx",
    "kernels/triton/persistent_matmul/persistent_matmul.sm80.ptx",
    "tests/data/corpus/029_triton_poi_fused__unsafe_index_add_mul_sub_3.ptx",
    "tests/data/corpus/053_triton_red_fused_native_batch_norm_backward_0.ptx",
    "tests/data/corpus/matmul_ok_BM128_BN128_BK32_w4_sm90.ptx",
};

// What lets the transforms do the most.
transform::Assumptions everything(const ptx::Module& m) {
  transform::Assumptions a;
  a.distinct_buffers = a.may_round_otherwise = true;
  for (const ptx::Function& f : m.functions)
    for (const ptx::SymbolId p : f.parameters) a.alignment[std::string(m.symbols[p].name)] = 16;
  return a;
}

void apply(benchmark::State& state, const std::string& path, transform::Action action) {
  const auto text = read_file(path);
  if (!text) {
    state.SkipWithError(text.error().message.c_str());
    return;
  }
  const transform::Assumptions assumptions = everything(ptx::parse(path, *text));
  uint32_t changes = 0;
  for (auto _ : state) {
    auto done = transform::apply_sequence(path, *text, {}, std::array{action}, assumptions);
    if (!done) {
      state.SkipWithError(done.error().message.c_str());
      return;
    }
    changes = done->steps[0].changes;
    benchmark::DoNotOptimize(done);
  }
  state.counters["changes"] = changes;
  state.counters["kB"] = static_cast<double>(text->size()) / 1000;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const transform::ActionInfo& a : transform::actions())
    for (const std::string_view kernel : kKernels) {
      const std::string path = PITOT_SOURCE_DIR "/" + std::string(kernel);
      const std::string name = std::string(kernel.substr(kernel.rfind('/') + 1));
      const transform::Action action = a.action;
      benchmark::RegisterBenchmark(
          (std::string(a.name) + "/" + name).c_str(),
          [path, action](benchmark::State& state) { apply(state, path, action); })
          ->Unit(benchmark::kMicrosecond);
    }
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
