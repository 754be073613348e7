// Quantiles of Student's t by bisection of its distribution function.
#include "measure/student_t.h"

#include <cmath>
#include <numbers>

namespace pitot::measure {
namespace {

// Share of the distribution within ±t, where tan(angle) = t / sqrt(freedom).
double share_within(double angle, unsigned freedom) {
  const double c = std::cos(angle), s = std::sin(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? c : 1, sum = 0;
  for (unsigned k = odd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= c * c * (k - 1) / k;
  }
  return odd ? 2 / std::numbers::pi * (angle + s * sum) : s * sum;
}

}  // namespace

double student_quantile(double p, unsigned freedom) {
  double lo = 0, hi = std::numbers::pi / 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (lo + hi) / 2;
    (share_within(middle, freedom) < 2 * p - 1 ? lo : hi) = middle;
  }
  return std::tan(lo) * std::sqrt(static_cast<double>(freedom));
}

}  // namespace pitot::measure
