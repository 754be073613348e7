#include "predict/conformal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "predict/numbers.h"

namespace pitot::predict {
namespace {

// Weighted quantile: each family's rows weigh one together, as does the family yet to come, of
// which nothing is known.
double quantile_over_families(const std::map<std::string, std::vector<double>>& families,
                              double coverage) {
  if (families.empty()) return kInfinite;
  std::vector<std::pair<double, double>> errors;
  for (const auto& [name, values] : families)
    for (double v : values) errors.push_back({v, 1.0 / static_cast<double>(values.size())});
  std::sort(errors.begin(), errors.end());
  const double wanted = coverage * static_cast<double>(families.size());
  double weight = 0;
  for (const auto& [error, w] : errors) {
    weight += w;
    if (weight >= wanted - 1e-9) return error;
  }
  return kInfinite;
}

}  // namespace

double conformal_quantile(std::vector<double> residuals, double coverage) {
  const double rank = std::ceil((static_cast<double>(residuals.size()) + 1) * coverage - 1e-9);
  if (!(rank >= 1) || rank > static_cast<double>(residuals.size())) return kInfinite;
  const auto at = residuals.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(residuals.begin(), at, residuals.end());
  return *at;
}

double half_width(const Calibration& calibration, const Likeness& likeness) {
  if (likeness.ood) return std::max(calibration.unseen, calibration.seen);
  const auto at = calibration.by_family.find(likeness.nearest);
  return at == calibration.by_family.end() ? calibration.seen : at->second;
}

Calibration calibrate(std::span<const CalibrationRow> seen, std::span<const CalibrationRow> unseen,
                      double coverage, size_t least_rows) {
  Calibration c;
  c.coverage = coverage;
  c.rows = seen.size();
  std::map<std::string, std::vector<double>> families, apart;
  std::vector<double> all;
  for (const CalibrationRow& r : seen) {
    families[r.family].push_back(std::fabs(r.error));
    all.push_back(std::fabs(r.error));
  }
  for (const CalibrationRow& r : unseen) apart[r.family].push_back(std::fabs(r.error));
  for (auto& [name, errors] : families)
    if (errors.size() >= least_rows) c.by_family[name] = conformal_quantile(errors, coverage);
  c.seen = conformal_quantile(std::move(all), coverage);
  c.unseen = quantile_over_families(apart, coverage);
  return c;
}

}  // namespace pitot::predict
