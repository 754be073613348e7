// The static path over compiler output, in bytes of PTX a second: parse, verify, lint, features,
// diff, gate; beside a plain regular-expression counter, which is what most scripts use, and ptxas
// where there is one.
#include <benchmark/benchmark.h>

#include <regex>

#include "analysis/features.h"
#include "analysis/lint.h"
#include "gate/diff.h"
#include "gate/gate.h"
#include "inputs.h"
#include "ptx/parser.h"
#include "ptx/verify.h"
#include "toolchain/ptxas.h"

namespace {

using namespace pitot;
using bench::corpus;

void set_bytes(benchmark::State& state, size_t each) {
  state.SetBytesProcessed(static_cast<int64_t>(each * static_cast<size_t>(state.iterations())));
}

void BM_Parse(benchmark::State& state) {
  for (auto _ : state)
    for (const auto& input : corpus()) benchmark::DoNotOptimize(ptx::parse(input.path, input.text));
  set_bytes(state, bench::corpus_bytes());
}
BENCHMARK(BM_Parse)->Unit(benchmark::kMillisecond);

void verify_all(benchmark::State& state, bool lint) {
  for (auto _ : state)
    for (const auto& input : corpus()) {
      ptx::Module m = ptx::parse(input.path, input.text);
      Diagnostics found;
      ptx::verify(m, {}, found);
      if (lint) analysis::lint(m, {}, found);
      benchmark::DoNotOptimize(found);
    }
  set_bytes(state, bench::corpus_bytes());
}
void BM_ParseVerify(benchmark::State& state) { verify_all(state, false); }
BENCHMARK(BM_ParseVerify)->Unit(benchmark::kMillisecond);
void BM_ParseVerifyLint(benchmark::State& state) { verify_all(state, true); }
BENCHMARK(BM_ParseVerifyLint)->Unit(benchmark::kMillisecond);

void BM_ParseFeatures(benchmark::State& state) {
  analysis::FeatureExtractor extractor;
  for (auto _ : state)
    for (const auto& input : corpus()) {
      ptx::Module m = ptx::parse(input.path, input.text);
      for (const auto& f : m.functions)
        if (f.has_body) benchmark::DoNotOptimize(extractor.extract(m, f));
    }
  set_bytes(state, bench::corpus_bytes());
}
BENCHMARK(BM_ParseFeatures)->Unit(benchmark::kMillisecond);

// Each file with itself, all 32-bit registers under other names, so that nothing is equal by its
// bytes. Bytes of both sides count.
std::string changed(const std::string& text) {
  return std::regex_replace(text, std::regex("%r(?=[0-9<])"), "%other");
}

template <class Compare>
void compare_all(benchmark::State& state, Compare&& compare) {
  std::vector<std::string> others;
  size_t bytes = 0;
  for (const auto& input : corpus()) {
    others.push_back(changed(input.text));
    bytes += input.text.size() + others.back().size();
  }
  for (auto _ : state)
    for (size_t i = 0; i < others.size(); ++i) {
      ptx::Module a = ptx::parse(corpus()[i].path, corpus()[i].text);
      ptx::Module b = ptx::parse(corpus()[i].path, others[i]);
      compare(a, b);
    }
  set_bytes(state, bytes);
}

void BM_ParseDiff(benchmark::State& state) {
  compare_all(state, [](const ptx::Module& a, const ptx::Module& b) {
    benchmark::DoNotOptimize(gate::diff_modules(a, b));
  });
}
BENCHMARK(BM_ParseDiff)->Unit(benchmark::kMillisecond);

void BM_ParseGate(benchmark::State& state) {
  const gate::RuleSet rules;
  compare_all(state, [&](const ptx::Module& a, const ptx::Module& b) {
    benchmark::DoNotOptimize(gate::judge(gate::compare_builds(a, b), rules, {}));
  });
}
BENCHMARK(BM_ParseGate)->Unit(benchmark::kMillisecond);

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
  set_bytes(state, bench::corpus_bytes());
}
BENCHMARK(BM_RegexCounter)->Unit(benchmark::kMillisecond)->Iterations(1);

// The assembler runs in a process of its own, whose start counts: so only real time means anything.
void BM_Ptxas(benchmark::State& state) {
  auto toolkit = toolchain::find_toolkit();
  if (!toolkit) {
    state.SkipWithError("no ptxas on this machine: install the CUDA toolkit to compare with it");
    return;
  }
  size_t bytes = 0, refused = 0;
  for (auto _ : state)
    for (const auto& input : corpus()) {
      ptx::Module m = ptx::parse(input.path, input.text);
      auto result = toolchain::assemble(*toolkit, input.text, m.target);
      bytes += input.text.size();
      if (!result || !result->accepted) ++refused;
    }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.counters["refused"] = static_cast<double>(refused);
}
BENCHMARK(BM_Ptxas)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
