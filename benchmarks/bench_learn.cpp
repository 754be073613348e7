// A policy's step: the network alone, the features of a parsed kernel, both; and episodes from a
// recorded table.
#include <benchmark/benchmark.h>

#include "environment/table_environment.h"
#include "ptx/parser.h"
#include "search/policy_network.h"
#include "support/draws.h"
#include "support/file.h"

namespace pitot::bench {
namespace {

using search::PolicyKind;

search::PolicyNetwork drawn_network(PolicyKind kind) {
  Draws draws(1);
  std::array<search::DenseLayer, 3> layers;
  const std::array<size_t, 4> widths{inputs_of(kind), search::kHidden, search::kHidden,
                                     outputs_of(kind)};
  for (size_t k = 0; k < 3; ++k) {
    layers[k].inputs = widths[k];
    layers[k].outputs = widths[k + 1];
    layers[k].weight.resize(widths[k] * widths[k + 1]);
    layers[k].bias.resize(widths[k + 1]);
    for (auto* values : {&layers[k].weight, &layers[k].bias})
      for (float& v : *values) v = static_cast<float>(draws.unit() - 0.5) / 4;
  }
  return *search::PolicyNetwork::make(kind, std::move(layers));
}

PolicyKind kind_of(const benchmark::State& state) {
  return state.range(0) == 0 ? PolicyKind::kPublished : PolicyKind::kWide;
}

void BM_PolicyNetwork(benchmark::State& state) {
  const PolicyKind kind = kind_of(state);
  const search::PolicyNetwork network = drawn_network(kind);
  std::vector<float> input(inputs_of(kind), 0.5f), logits(outputs_of(kind));
  std::vector<double> p(logits.size());
  for (auto _ : state) {
    network.logits(input, logits);
    search::masked_softmax(logits, all_actions(kind), 1, p);
    benchmark::DoNotOptimize(p.data());
  }
}
BENCHMARK(BM_PolicyNetwork)->ArgName("wide")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// The kernel is parsed already, and its mask is known.
void BM_PolicyStep(benchmark::State& state) {
  const PolicyKind kind = kind_of(state);
  const search::PolicyNetwork network = drawn_network(kind);
  const std::string path = PITOT_SOURCE_DIR "/kernels/cuda/saxpy/saxpy.sm90.ptx";
  const auto text = read_file(path);
  if (!text) return state.SkipWithError(text.error().message.c_str());
  const ptx::Module m = ptx::parse(path, *text);
  const uint32_t kernel = *ptx::find_kernel(m, "saxpy");
  std::vector<float> input(inputs_of(kind)), logits(outputs_of(kind));
  std::vector<double> p(logits.size());
  for (auto _ : state) {
    const auto features = kernel_features(m, kernel, {}, kind);
    write_input(features, with_stop(all_actions(kind), kind), 0, kind, input);
    network.logits(input, logits);
    search::masked_softmax(logits, all_actions(kind), 1, p);
    benchmark::DoNotOptimize(p.data());
  }
}
BENCHMARK(BM_PolicyStep)->ArgName("wide")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

// A table in which every action is open everywhere: 4,096 programs.
environment::RecordedTable open_table() {
  environment::RecordedTable table;
  table.kernels.resize(1);
  Draws draws(2);
  auto& programs = table.kernels[0].programs;
  programs.resize(4096);
  for (auto& p : programs) {
    p.value.cost = p.level = 1 + draws.unit();
    for (uint32_t& to : p.to) to = static_cast<uint32_t>(draws.below(programs.size()));
  }
  return table;
}

void BM_TableSteps(benchmark::State& state) {
  const PolicyKind kind = kind_of(state);
  const environment::RecordedTable table = open_table();
  environment::TableEnvironment episodes(table, {kind, 6, false});
  Draws draws(3);
  auto seen = episodes.reset(0, 0);
  for (auto _ : state) {
    size_t output = draws.below(outputs_of(kind));
    while ((seen->mask >> output & 1) == 0) output = draws.below(outputs_of(kind));
    auto step = episodes.step(output);
    if (step->done) {
      seen = episodes.reset(0, 0);
    } else {
      seen = step->observation;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TableSteps)->ArgName("wide")->Arg(0)->Arg(1);

}  // namespace
}  // namespace pitot::bench

BENCHMARK_MAIN();
