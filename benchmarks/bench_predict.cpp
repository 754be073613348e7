// Rows for prediction: from the text alone, which should take a millisecond for 40 KB of PTX, and
// with sampled blocks at sizes that keep a GPU busy, which should take 50.
#include <benchmark/benchmark.h>

#include "device/spec.h"
#include "predict/analytic.h"
#include "predict/row_features.h"
#include "ptx/parser.h"
#include "support/file.h"

namespace {

using namespace pitot;

struct Case {
  std::string spec, ptx;
  device::Sizes sizes;
};

void rows(benchmark::State& state, const Case& which, bool emulate) {
  const std::string path = PITOT_SOURCE_DIR "/kernels/" + which.spec + ".kernel.toml";
  auto text = read_file(path);
  if (!text) return state.SkipWithError("the kernel is not there");
  Diagnostics found;
  const auto spec = device::read_spec(SourceText(path, *text), found);
  auto ptx = read_file(spec.beside(which.ptx));
  if (!ptx) return state.SkipWithError("the PTX is not there");
  const device::SizeSpec size{"full", which.sizes};
  predict::RowOptions options;
  options.emulate = emulate;
  predict::RowExtractor extractor(options);
  for (auto _ : state) {
    auto module = std::make_shared<ptx::Module>(ptx::parse(which.ptx, *ptx));
    predict::RowRequest request;
    request.module = module;
    for (uint32_t f = 0; f < module->functions.size(); ++f)
      if (module->functions[f].is_entry) request.kernel = f;
    request.gpu = *arch::find_gpu("H200");
    request.spec = &spec;
    request.size = &size;
    auto row = extractor.row(request);
    if (!row) return state.SkipWithError("there is no row");
    benchmark::DoNotOptimize(predict::analytic_score(row->values));
  }
  state.counters["PTX bytes"] = static_cast<double>(ptx->size());
}

const Case kLong{"pairs/matmul/matmul.64x64x32",
                 "matmul_right.64x64x32.sm90a.ptx",
                 {{"M", 2048}, {"N", 2048}, {"K", 1024}}};
const Case kGemm{
    "cuda/gemm_tiled/gemm_tiled", "gemm_tiled.sm90.ptx", {{"m", 4096}, {"n", 4096}, {"k", 4096}}};
const Case kStream{
    "cuda/transpose/transpose", "transpose.sm90.ptx", {{"rows", 16384}, {"cols", 16384}}};

BENCHMARK_CAPTURE(rows, static_40KB, kLong, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, emulated_matmul, kLong, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, emulated_gemm, kGemm, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rows, emulated_transpose, kStream, true)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
