// The distribution of a resampled median, by integrating the density of the order statistic.
#include "measure/resampled_median.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics.h"

namespace pitot::measure {

ResampledMedian::ResampledMedian(std::span<const double> values, double draws)
    : sorted_(values.begin(), values.end()),
      cumulative_(values.size()),
      median_(measure::median(values)) {
  std::sort(sorted_.begin(), sorted_.end());
  const double n = static_cast<double>(sorted_.size());
  const double exponent = (draws - 1) / 2;
  // Beta density up to a factor, 1 in the middle.
  auto density = [exponent](double x) {
    const double q = 4 * x * (1 - x);
    return exponent == 0 ? 1 : q <= 0 ? 0 : std::exp(exponent * std::log(q));
  };
  double sum = 0;
  for (size_t i = 0; i < sorted_.size(); ++i) {
    // Simpson over four parts: exact for few values, and with many the density is smooth in 1/n.
    const double x = static_cast<double>(i) / n, step = 1 / (4 * n);
    sum += density(x) + 4 * density(x + step) + 2 * density(x + 2 * step) +
           4 * density(x + 3 * step) + density(x + 4 * step);
    cumulative_[i] = sum;
  }
  for (double& c : cumulative_) c /= sum;
}

double ResampledMedian::at(double p) const {
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, p);
  return sorted_[static_cast<size_t>(found - cumulative_.begin())];
}

}  // namespace pitot::measure
