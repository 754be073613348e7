// Prediction: inputs of a feature row, a forest of the size that recipes train, and all of it.
#include <benchmark/benchmark.h>

#include <random>

#include "predict/feature_set.h"
#include "predict/forest.h"
#include "predict/inputs.h"
#include "predict/model.h"

namespace pitot {
namespace {

using namespace predict;

// Full trees with thresholds that rows straddle: every path is taken.
Forest random_forest(size_t trees, unsigned depth, size_t features) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> value;
  std::vector<Tree> out;
  for (size_t t = 0; t < trees; ++t) {
    Tree tree((size_t{2} << depth) - 1);
    for (size_t n = 0; n < tree.size(); ++n) {
      tree[n].value = value(random);
      if (2 * n + 2 >= tree.size()) continue;
      tree[n].left = static_cast<int32_t>(2 * n + 1);
      tree[n].right = static_cast<int32_t>(2 * n + 2);
      tree[n].feature = static_cast<uint32_t>(random() % features);
      tree[n].default_left = random() % 2 == 0;
    }
    out.push_back(std::move(tree));
  }
  return *Forest::build(std::move(out), 0, features);
}

// Feature rows of random numbers; the GPU's and the emulator's columns are above 0.
std::vector<std::vector<double>> random_rows(size_t count) {
  std::mt19937_64 random(2);
  std::exponential_distribution<double> value(1e-3);
  std::vector<std::vector<double>> rows(count, std::vector<double>(kColumnCount));
  for (auto& row : rows)
    for (double& v : row) v = value(random);
  return rows;
}

// The forest alone: the arguments are trees and depth.
void forest(benchmark::State& state) {
  constexpr size_t kFeatures = 200, kRows = 4096;
  const Forest f = random_forest(static_cast<size_t>(state.range(0)),
                                 static_cast<unsigned>(state.range(1)), kFeatures);
  std::mt19937_64 random(3);
  std::normal_distribution<float> value;
  Matrix rows;
  rows.columns = kFeatures;
  for (size_t i = 0; i < kRows * kFeatures; ++i) rows.values.push_back(value(random));
  size_t r = 0;
  for (auto _ : state) benchmark::DoNotOptimize(f.margin(rows.row(r++ % kRows)));
}
BENCHMARK(forest)->Args({200, 6})->Args({400, 4})->Args({400, 6})->Unit(benchmark::kMicrosecond);

void inputs(benchmark::State& state) {
  const Inputs view(InputView::kScaleFree, kAllGroups);
  const auto rows = random_rows(256);
  std::vector<float> out;
  size_t r = 0;
  for (auto _ : state) {
    out.clear();
    view.append(rows[r++ % rows.size()], out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(inputs)->Unit(benchmark::kMicrosecond);

// A group of 128 variants through both stages, with intervals and likeness to 16 families.
void predict_128(benchmark::State& state) {
  Model m;
  m.time = {InputView::kScaleFree, kAllGroups, {}, {}};
  const size_t own = Inputs(InputView::kScaleFree, kAllGroups).names().size();
  const size_t relative = Inputs(InputView::kRelative, kAllGroups).names().size();
  m.time.forest = random_forest(400, 6, own);
  m.order = Stage{InputView::kRelative, kAllGroups, {}, random_forest(400, 6, relative)};
  m.order_share = 0.5;
  const auto rows = random_rows(128);
  std::vector<std::span<const double>> group(rows.begin(), rows.end());
  Matrix known;
  known.columns = own;
  std::vector<std::string> families;
  for (size_t i = 0; i < group.size(); ++i) {
    Inputs(InputView::kScaleFree, kAllGroups).append(group[i], known.values);
    families.push_back(std::string(1, static_cast<char>('a' + i % 16)));
  }
  m.space = TrainingSpace::fit(known, families);
  for (auto _ : state) benchmark::DoNotOptimize(predict_group(m, group).data());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(group.size()));
}
BENCHMARK(predict_128)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pitot

BENCHMARK_MAIN();
