#include "bench/scores.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "bench/task_bootstrap.h"
#include "support/draws.h"

namespace pitot::bench {
namespace {

constexpr unsigned kFlips = 20'000;

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const size_t n = v.size();
  return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

Interval bootstrap_geometric(std::span<const double> values, uint64_t seed) {
  std::vector<double> logs;
  for (double v : values) logs.push_back(std::log(v));
  Interval out = bootstrap(logs, seed);
  return {std::exp(out.value), std::exp(out.low), std::exp(out.high)};
}

// What a user has of a sample: its speed-up when it is right and timed, else the original.
double kept_speedup(const Judgement& j) { return j.right() && j.speedup > 0 ? j.speedup : 1; }

TaskScore score_task(std::span<const Judgement* const> samples, std::span<const uint32_t> ks) {
  TaskScore out;
  out.task = samples[0]->task;
  out.kind = samples[0]->kind;
  std::vector<double> speedups;
  for (const Judgement* j : samples) {
    ++out.samples;
    out.compiled += j->tier >= Tier::kCompiles;
    out.right += j->right();
    out.timed += j->right() && j->speedup > 0;
    speedups.push_back(kept_speedup(*j));
    if (j->right()) out.best_speedup = std::max(out.best_speedup, j->speedup);
    for (size_t t = 0; t < kFastThresholds.size(); ++t)
      out.fast[t] += j->right() && j->speedup > kFastThresholds[t];
  }
  for (double& f : out.fast) f /= out.samples;
  out.best_speedup = std::max(out.best_speedup, 1.0);
  out.median_speedup = median(speedups);
  for (uint32_t k : ks)
    if (k <= out.samples) out.pass[k] = pass_at_k(out.samples, out.right, k);
  return out;
}

}  // namespace

double pass_at_k(uint64_t n, uint64_t c, uint64_t k) {
  if (k > n || c > n) return std::numeric_limits<double>::quiet_NaN();
  if (n - c < k) return 1;
  double none = 1;  // the product form does not overflow
  for (uint64_t i = n - c + 1; i <= n; ++i)
    none *= 1 - static_cast<double>(k) / static_cast<double>(i);
  return 1 - none;
}

Scores score(std::span<const Judgement> judged, std::span<const uint32_t> ks, uint64_t seed) {
  Scores out;
  std::map<std::string, std::vector<const Judgement*>> by_task;
  for (const Judgement& j : judged) {
    by_task[j.task].push_back(&j);
    ++out.verdicts[std::string(name_of(j.verdict))];
    ++out.samples;
    if (out.generator.empty()) out.generator = j.generator;
  }
  std::vector<double> speedups, right;
  std::array<std::vector<double>, kFastThresholds.size()> fast;
  std::map<uint32_t, std::vector<double>> pass;
  for (const auto& [task, samples] : by_task) {
    out.tasks.push_back(score_task(samples, ks));
    const TaskScore& t = out.tasks.back();
    speedups.push_back(t.median_speedup);
    for (size_t i = 0; i < fast.size(); ++i) fast[i].push_back(t.fast[i]);
    for (const auto& [k, p] : t.pass) pass[k].push_back(p);
    std::vector<double> of_right;
    for (const Judgement* j : samples)
      if (j->right() && j->speedup > 0) of_right.push_back(j->speedup);
    if (!of_right.empty()) right.push_back(median(of_right));
  }
  for (const auto& [k, values] : pass) out.pass[k] = bootstrap(values, seed);
  for (size_t i = 0; i < fast.size(); ++i) out.fast[i] = bootstrap(fast[i], seed);
  if (!speedups.empty()) out.speedup = bootstrap_geometric(speedups, seed);
  out.right_tasks = static_cast<uint32_t>(right.size());
  if (!right.empty()) out.speedup_of_right = bootstrap_geometric(right, seed);
  return out;
}

Comparison compare_generators(const Scores& a, const Scores& b, uint64_t seed) {
  Comparison out;
  out.a = a.generator;
  out.b = b.generator;
  std::vector<double> pass, ratio;
  for (const TaskScore& x : a.tasks)
    for (const TaskScore& y : b.tasks) {
      if (x.task != y.task) continue;
      pass.push_back(pass_at_k(y.samples, y.right, 1) - pass_at_k(x.samples, x.right, 1));
      ratio.push_back(std::log(y.median_speedup / x.median_speedup));
    }
  out.tasks = static_cast<uint32_t>(pass.size());
  if (pass.empty()) return out;
  out.pass = bootstrap(pass, seed);
  out.log_ratio = bootstrap(ratio, seed);
  // Under the hypothesis that the two are alike the sign of each task's difference is a coin's.
  Draws draws(seed);
  const double seen = std::fabs(mean(ratio));
  unsigned as_large = 0;
  for (unsigned n = 0; n < kFlips; ++n) {
    double sum = 0;
    for (double r : ratio) sum += (draws.bits() >> 63) != 0 ? r : -r;
    as_large += std::fabs(sum) / static_cast<double>(ratio.size()) >= seen - 1e-15;
  }
  out.p_value = (as_large + 1.0) / (kFlips + 1.0);
  return out;
}

}  // namespace pitot::bench
