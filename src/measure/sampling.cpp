#include "measure/sampling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "measure/statistics.h"

namespace pitot::measure {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr size_t kWindow = 8;         // samples whose medians are compared
constexpr double kSettled = 0.005;    // relative difference of two windows
constexpr size_t kBetweenLooks = 10;  // samples between looks at the interval

}  // namespace

Result<WarmUp> warm_up(TimedKernel& kernel, const Protocol& p) {
  WarmUp out;
  std::vector<double> times;
  const auto start = Clock::now();
  do {
    auto t = kernel.sample();
    if (!t) return t.error();
    times.push_back(*t);
    if (times.size() >= 2 * kWindow && seconds_since(start) >= p.warmup_seconds) {
      const std::span<const double> all(times);
      const double now = median(all.last(kWindow)),
                   before = median(all.subspan(all.size() - 2 * kWindow, kWindow));
      out.stable = std::fabs(now / before - 1) < kSettled;
    }
  } while (!out.stable && seconds_since(start) < p.warmup_limit_seconds);
  out.ms = seconds_since(start) * 1e3;
  return out;
}

Result<std::vector<double>> take_samples(TimedKernel& kernel, const Protocol& p) {
  std::vector<double> samples;
  const auto start = Clock::now();
  while (samples.size() < p.max_samples) {
    auto t = kernel.sample();
    if (!t) return t.error();
    samples.push_back(*t);
    if (samples.size() < p.min_samples) continue;
    if (seconds_since(start) > p.seconds) break;
    if (samples.size() % kBetweenLooks == 0 && narrow_enough(samples, p.half_width)) break;
  }
  return samples;
}

void summarise(const Protocol& p, MeasureRecord& r) {
  const std::vector<double>& s = r.samples;
  r.median = bootstrap_median(s);
  r.narrow = narrow_enough(s, p.half_width);
  r.outliers = outliers(s);
  const auto n = static_cast<double>(s.size());
  r.mean = std::accumulate(s.begin(), s.end(), 0.0) / n;
  double squares = 0;
  for (const double v : s) squares += (v - r.mean) * (v - r.mean);
  r.deviation = s.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  r.least = *std::min_element(s.begin(), s.end());
  r.most = *std::max_element(s.begin(), s.end());
}

}  // namespace pitot::measure
