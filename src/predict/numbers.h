// Numbers that may be unknown, and what the models do with them.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace pitot::predict {

inline constexpr double kUnknownValue = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

// log(1 + |v|) with v's sign: small values stay as they are.
inline double signed_log(double v) { return std::copysign(std::log1p(std::fabs(v)), v); }

// Of the values that are known; NaN if none is.
inline double mean_known(std::span<const double> values) {
  double sum = 0, n = 0;
  for (double v : values) {
    if (std::isnan(v)) continue;
    sum += v;
    ++n;
  }
  return n > 0 ? sum / n : kUnknownValue;
}

}  // namespace pitot::predict
