// The static path over compiler output, in bytes of PTX a second: parse, verify, lint, features;
// beside a plain regular-expression counter, which is what most scripts use, and ptxas where there
// is one.
#include <benchmark/benchmark.h>

#include <regex>

#include "analysis/features.h"
#include "analysis/lint.h"
#include "ptx/parser.h"
#include "ptx/verify.h"
#include "support/file.h"
#include "toolchain/ptxas.h"

namespace {

using namespace pitot;

struct Input {
  std::string path, text;
};

// The project's compiler output, or the directory in PITOT_BENCH_DIR.
const std::vector<Input>& corpus() {
  static const std::vector<Input> inputs = [] {
    std::vector<Input> out;
    std::vector<std::string> roots{PITOT_SOURCE_DIR "/tests/data/corpus"};
    if (const char* dir = std::getenv("PITOT_BENCH_DIR")) roots = {dir};
    for (const auto& root : roots)
      for (const auto& path : *list_files(root, {".ptx"})) out.push_back({path, *read_file(path)});
    return out;
  }();
  return inputs;
}

// Instructions only: comments and debug sections, which are quick to pass over, taken out; repeated
// to the wanted size as kernels of one module.
std::string dense_module(size_t bytes) {
  std::string body =
      "{\n\t.reg .pred %p<3>;\n\t.reg .b32 %r<200>;\n\t.reg .b64 %rd<100>;\n\t.reg .f32 %f<100>;\n";
  for (int i = 1; i < 90; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    body += "\tld.global.f32 %f" + n + ", [%rd" + n + "+" + std::to_string(4 * i) +
            "];\n\tadd.s32 %r" + next + ", %r" + n + ", 17;\n\tfma.rn.f32 %f" + next + ", %f" + n +
            ", %f" + n + ", 0f3F800000;\n\tmul.wide.s32 %rd" + next + ", %r" + n +
            ", 4;\n\tst.global.f32 [%rd" + n + "], %f" + next + ";\n";
  }
  body += "\tret;\n}\n";
  std::string out = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (int k = 0; out.size() < bytes; ++k)
    out += ".visible .entry kernel_" + std::to_string(k) + "(.param .u64 p" + std::to_string(k) +
           ")\n" + body;
  return out;
}

size_t total_bytes() {
  size_t n = 0;
  for (const auto& i : corpus()) n += i.text.size();
  return n;
}

void set_bytes(benchmark::State& state, size_t each) {
  state.SetBytesProcessed(static_cast<int64_t>(each * static_cast<size_t>(state.iterations())));
}

void BM_Parse(benchmark::State& state) {
  for (auto _ : state)
    for (const auto& input : corpus()) benchmark::DoNotOptimize(ptx::parse(input.path, input.text));
  set_bytes(state, total_bytes());
}
BENCHMARK(BM_Parse)->Unit(benchmark::kMillisecond);

void BM_ParseDense(benchmark::State& state) {
  std::string text = dense_module(static_cast<size_t>(state.range(0)) << 20);
  for (auto _ : state) benchmark::DoNotOptimize(ptx::parse("dense", text));
  set_bytes(state, text.size());
}
BENCHMARK(BM_ParseDense)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

void BM_ParseVerify(benchmark::State& state) {
  for (auto _ : state)
    for (const auto& input : corpus()) {
      ptx::Module m = ptx::parse(input.path, input.text);
      Diagnostics found;
      ptx::verify(m, {}, found);
      benchmark::DoNotOptimize(found);
    }
  set_bytes(state, total_bytes());
}
BENCHMARK(BM_ParseVerify)->Unit(benchmark::kMillisecond);

void BM_ParseVerifyLint(benchmark::State& state) {
  for (auto _ : state)
    for (const auto& input : corpus()) {
      ptx::Module m = ptx::parse(input.path, input.text);
      Diagnostics found;
      ptx::verify(m, {}, found);
      analysis::lint(m, {}, found);
      benchmark::DoNotOptimize(found);
    }
  set_bytes(state, total_bytes());
}
BENCHMARK(BM_ParseVerifyLint)->Unit(benchmark::kMillisecond);

void features_of(const std::string& path, const std::string& text,
                 analysis::FeatureExtractor& extractor) {
  ptx::Module m = ptx::parse(path, text);
  for (const auto& f : m.functions)
    if (f.has_body) benchmark::DoNotOptimize(extractor.extract(m, f));
}

void BM_AllFeatures(benchmark::State& state) {
  analysis::FeatureExtractor extractor;
  for (auto _ : state)
    for (const auto& input : corpus()) features_of(input.path, input.text, extractor);
  set_bytes(state, total_bytes());
}
BENCHMARK(BM_AllFeatures)->Unit(benchmark::kMillisecond);

void BM_AllFeaturesDense(benchmark::State& state) {
  std::string text = dense_module(static_cast<size_t>(state.range(0)) << 20);
  analysis::FeatureExtractor extractor;
  for (auto _ : state) features_of("dense", text, extractor);
  set_bytes(state, text.size());
}
BENCHMARK(BM_AllFeaturesDense)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

// One pass of one expression: what the published extractor does per column, here once for all.
void BM_RegexCounter(benchmark::State& state) {
  const std::regex instruction(R"(^\s+(@!?%p\d+\s+)?([a-z][a-z0-9_]*)(\.[a-zA-Z0-9_:]+)*\s)",
                               std::regex::optimize | std::regex::multiline);
  for (auto _ : state)
    for (const auto& input : corpus()) {
      auto n =
          std::distance(std::sregex_iterator(input.text.begin(), input.text.end(), instruction),
                        std::sregex_iterator());
      benchmark::DoNotOptimize(n);
    }
  set_bytes(state, total_bytes());
}
BENCHMARK(BM_RegexCounter)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_Ptxas(benchmark::State& state) {
  auto toolkit = toolchain::find_toolkit();
  if (!toolkit) {
    state.SkipWithError("ptxas is not here");
    return;
  }
  // The smaller files are enough: the figure is a rate.
  size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    for (const auto& input : corpus()) {
      if (input.text.size() > 30000) continue;
      ptx::Module m = ptx::parse(input.path, input.text);
      auto result = toolchain::assemble(*toolkit, input.text, m.target);
      if (result.ok()) bytes += input.text.size();
    }
  }
  set_bytes(state, bytes);
}
BENCHMARK(BM_Ptxas)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
