// Statistics of one series of timings: median, its interval, outliers.
#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "measure/resampled_median.h"

namespace pitot::measure {
namespace {

// Ranks about zero; equal values have equal ranks.
std::vector<double> centred_ranks(std::span<const double> values) {
  const size_t n = values.size();
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t x, size_t y) { return values[x] < values[y]; });
  std::vector<double> ranks(n);
  for (size_t from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && values[order[to]] == values[order[from]];) ++to;
    for (size_t i = from; i < to; ++i)
      ranks[order[i]] = static_cast<double>(from + to) - static_cast<double>(n);
  }
  return ranks;
}

// How many independent values know as much of the median: fewer where neighbours in time resemble
// each other. The ratio of the ranks' long-run variance to their variance, by the first
// autocorrelation with Kendall's correction of its bias (a series that forgets steadily), and by a
// flat-top window up to where correlation ends (Politis and White, 2004; one that does not);
// whichever leaves less.
double independent_values(std::span<const double> values) {
  const std::vector<double> ranks = centred_ranks(values);
  const size_t size = ranks.size();
  const double n = static_cast<double>(size);
  auto covariance = [&](size_t lag) {
    double sum = 0;
    for (size_t i = lag; i < size; ++i) sum += ranks[i] * ranks[i - lag];
    return sum / n;
  };
  const double variance = covariance(0);
  if (variance <= 0) return n;
  const double first = covariance(1) / variance;
  const double memory = std::clamp(first + (1 + 3 * first) / n, 0.0, 0.99);
  double ratio = (1 + memory) / (1 - memory);

  const double negligible = 2 * std::sqrt(std::log10(n) / n);
  size_t last = 0;  // before two in a row that are negligible
  for (size_t lag = 1; lag <= size / 4 && lag < last + 3; ++lag)
    if (std::abs(covariance(lag)) > negligible * variance) last = lag;
  double flat_top = 1;
  for (size_t lag = 1; lag < 2 * last && lag < size; ++lag) {
    const double share = static_cast<double>(lag) / static_cast<double>(2 * last);
    flat_top += 2 * std::min(1.0, 2 * (1 - share)) * covariance(lag) / variance;
  }
  ratio = std::max(ratio, flat_top);
  return std::max(n / ratio, 1.0);
}

}  // namespace

double median_in_place(std::span<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

Estimate bootstrap_median(std::span<const double> values) {
  const double centre = median(values);
  if (values.size() < 3) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {centre, -infinity, infinity};
  }
  const ResampledMedian drawn(values, independent_values(values));
  return {centre, drawn.at(0.025), drawn.at(0.975)};
}

bool narrow_enough(std::span<const double> values, double relative) {
  constexpr double kIndependent = 16;
  if (values.size() < kIndependent || independent_values(values) < kIndependent) return false;
  const Estimate e = bootstrap_median(values);
  return (e.hi - e.lo) / 2 <= relative * std::fabs(e.value);
}

uint32_t outliers(std::span<const double> values) {
  if (values.empty()) return 0;
  const double centre = median(values);
  std::vector<double> away(values.size());
  for (size_t i = 0; i < values.size(); ++i) away[i] = std::abs(values[i] - centre);
  // 1.4826 scales the deviation to a normal distribution's standard deviation.
  const double limit =
      std::max(5 * 1.4826 * median(std::span<const double>(away)), 1e-3 * std::abs(centre));
  return static_cast<uint32_t>(
      std::count_if(away.begin(), away.end(), [limit](double a) { return !(a <= limit); }));
}

}  // namespace pitot::measure
