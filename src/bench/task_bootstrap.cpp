#include "bench/task_bootstrap.h"

#include <algorithm>
#include <vector>

#include "support/draws.h"

namespace pitot::bench {
namespace {

constexpr unsigned kResamples = 2000;

double drawn_mean(std::span<const double> values, Draws& draws) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += values[draws.below(values.size())];
  return sum / static_cast<double>(values.size());
}

Interval interval_of(double value, std::vector<double> drawn) {
  std::sort(drawn.begin(), drawn.end());
  return {value, drawn[static_cast<size_t>(0.025 * kResamples)],
          drawn[static_cast<size_t>(0.975 * kResamples) - 1]};
}

}  // namespace

double mean(std::span<const double> values) {
  double sum = 0;
  for (double x : values) sum += x;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Interval bootstrap(std::span<const double> values, uint64_t seed) {
  const double value = mean(values);
  if (values.size() < 2) return {value, value, value};
  Draws draws(seed);
  std::vector<double> means(kResamples);
  for (double& m : means) m = drawn_mean(values, draws);
  return interval_of(value, std::move(means));
}

Interval bootstrap_gap(std::span<const double> a, std::span<const double> b, uint64_t seed) {
  if (a.empty() || b.empty()) return {};
  Draws draws(seed);
  std::vector<double> gaps(kResamples);
  for (double& g : gaps) {
    const double of_a = drawn_mean(a, draws);
    g = drawn_mean(b, draws) - of_a;
  }
  return interval_of(mean(b) - mean(a), std::move(gaps));
}

}  // namespace pitot::bench
