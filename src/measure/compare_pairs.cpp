// Paired comparison of interleaved timings by a two-stage bootstrap.
#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/random_draws.h"
#include "measure/resampled_median.h"
#include "measure/statistics.h"
#include "measure/student_t.h"

namespace pitot::measure {
namespace {

std::vector<ResampledMedian> log_ratios(const Pairs& pairs) {
  std::vector<ResampledMedian> placements;
  std::vector<double> ratios;
  for (const auto& rounds : pairs.placements) {
    ratios.clear();
    for (const auto& [a, b] : rounds)
      if (a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b)) ratios.push_back(std::log(b / a));
    if (!ratios.empty()) placements.emplace_back(ratios);
  }
  return placements;
}

// Hodges-Lehmann: the median of the means of all two, a value with itself too. Bends to no single
// placement, and wastes less of the others than their median would.
double robust_mean(std::span<const double> values, std::vector<double>& space) {
  space.clear();
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = 0; j <= i; ++j) space.push_back((values[i] + values[j]) / 2);
  return median_in_place(space);
}

// The timer's step as a share of the time: the least gap between the times of a side, where at
// least half of them are equal to another.
double timer_step(const Pairs& pairs) {
  double step = 0;
  std::vector<double> times;
  for (const size_t side : {0u, 1u}) {
    times.clear();
    for (const auto& rounds : pairs.placements)
      for (const auto& pair : rounds)
        if (pair[side] > 0 && std::isfinite(pair[side])) times.push_back(pair[side]);
    std::sort(times.begin(), times.end());
    const size_t total = times.size();
    times.erase(std::unique(times.begin(), times.end()), times.end());
    if (2 * times.size() > total) continue;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 1; i < times.size(); ++i)
      least = std::min(least, (times[i] - times[i - 1]) / times[i]);
    if (std::isfinite(least)) step = std::max(step, least);
  }
  return step;
}

}  // namespace

PairedResult compare_pairs(const Pairs& pairs, uint64_t seed, unsigned resamples) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<ResampledMedian> placements = log_ratios(pairs);
  const size_t count = placements.size();
  std::vector<double> medians(count), space;
  for (size_t i = 0; i < count; ++i) medians[i] = placements[i].median();
  const double centre = robust_mean(medians, space);

  PairedResult result;
  result.change = {std::expm1(centre), -infinity, infinity};
  result.noise_band = result.least_detectable = infinity;
  if (count < 2) return result;

  RandomDraws draws(seed);
  std::vector<double> drawn(std::max(resamples, 40u));
  double variance = 0;
  for (double& d : drawn) {
    for (double& m : medians)
      m = placements[draws.below(static_cast<uint32_t>(count))].at(draws.uniform());
    d = robust_mean(medians, space);
    variance += (d - centre) * (d - centre) / static_cast<double>(drawn.size());
  }
  std::sort(drawn.begin(), drawn.end());
  const size_t tail = drawn.size() / 40;

  // A bootstrap of n draws has (n−1)/n of the variance, and knows it with n−1 degrees of freedom.
  const auto freedom = static_cast<unsigned>(count - 1);
  const double correction = std::sqrt(static_cast<double>(count) / freedom);
  const double error = std::sqrt(variance) * correction;
  const double widening = correction * student_quantile(0.975, freedom) / 1.959963984540054;
  const double lo = centre - widening * std::max(0.0, centre - drawn[tail]);
  const double hi = centre + widening * std::max(0.0, drawn[drawn.size() - 1 - tail] - centre);
  const double band =
      std::max(student_quantile(0.995, freedom) * error, std::log1p(timer_step(pairs)));
  result.change.lo = std::expm1(lo);
  result.change.hi = std::expm1(hi);
  result.noise_band = std::expm1(band);
  result.least_detectable = std::expm1(band + student_quantile(0.8, freedom) * error);
  result.differs = std::abs(centre) > band && (lo > 0 || hi < 0);
  return result;
}

}  // namespace pitot::measure
