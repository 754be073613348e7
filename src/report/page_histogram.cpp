#include "report/page_histogram.h"

#include <algorithm>
#include <cmath>

namespace pitot::report::page {
namespace {

constexpr size_t kMostBins = 40;

// 1, 2 or 5 times a power of ten, not below `width`.
double round_width(double width) {
  const double power = std::pow(10, std::floor(std::log10(width)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= width) return step * power;
  return 10 * power;
}

}  // namespace

double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Chart histogram(const std::vector<Samples>& samples, Chart::Scale scale) {
  Chart out;
  out.kind = Chart::Kind::kHistogram;
  out.scale = scale;
  const bool ratios = scale == Chart::Scale::kRatio;
  std::vector<Samples> kept;
  size_t count = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto& [name, values] : samples) {
    kept.push_back({name, {}});
    for (const double v : values) {
      const double x = ratios ? std::log2(v) : v;
      if (!(std::fabs(x) < 1e300)) continue;
      kept.back().second.push_back(x);
      least = std::min(least, x);
      most = std::max(most, x);
      ++count;
    }
  }
  if (count == 0) return out;
  const double bins =
      std::clamp(2 * std::sqrt(static_cast<double>(count)), 8.0, static_cast<double>(kMostBins));
  const double spread = most - least;
  // Samples that are all alike still get a bin that can be seen, and one that doubles can divide.
  const double finest = std::max({std::fabs(least), std::fabs(most), 1e-300}) * 1e-12;
  double width = spread > finest ? round_width(spread / bins)
                 : least != 0    ? round_width(std::fabs(least) * 1e-3)
                                 : (ratios ? 0.1 : 1.0);
  double first = std::floor(least / width);
  size_t cells = static_cast<size_t>(std::floor(most / width) - first) + 1;
  while (cells > kMostBins) {
    width *= 2;
    first = std::floor(least / width);
    cells = static_cast<size_t>(std::floor(most / width) - first) + 1;
  }
  for (size_t i = 0; i <= cells; ++i) out.at.push_back((first + static_cast<double>(i)) * width);
  for (const auto& [name, values] : kept) {
    Series s;
    s.name = name;
    s.values.assign(cells, 0);
    for (const double x : values) {
      const double cell = std::floor(x / width) - first;
      ++s.values[std::min(cells - 1, static_cast<size_t>(std::max(0.0, cell)))];
    }
    out.series.push_back(std::move(s));
  }
  return out;
}

}  // namespace pitot::report::page
