// Conformal intervals: from how far predictions of rows that were not learned from were off, how
// far the next will be (Vovk, Gammerman and Shafer, 2005; Barber et al., 2021, for cross-fitted
// residuals).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/outside.h"

namespace pitot::predict {

// The residual that at least a share `coverage` of new ones does not exceed: the
// ceil((n + 1) · coverage)-th smallest of n; infinite when n is too few for it.
double conformal_quantile(std::vector<double> residuals, double coverage);

// Half widths of log time, by what is known of the kernel's kin.
struct Calibration {
  double coverage = 0.9;
  std::map<std::string, double> by_family;  // kernels like those of a family learned from
  double seen = 0;                          // of any family learned from
  double unseen = 0;                        // of a family never seen
  size_t rows = 0;                          // calibrated on
};

// That of a kernel: unseen when it lies outside what was learned from.
double half_width(const Calibration& calibration, const Likeness& likeness);

// One row's error of log time, predicted by a model that had not seen the row (or its family).
struct CalibrationRow {
  std::string family;
  double error = 0;
};
// Families with fewer than `least_rows` have no width of their own. Half widths are made of
// absolute errors. `unseen` empty: its width is infinite. Rows of a family resemble one another, so
// the unseen width is that which `coverage` of the families' rows keep on average, each family
// weighing the same.
Calibration calibrate(std::span<const CalibrationRow> seen, std::span<const CalibrationRow> unseen,
                      double coverage, size_t least_rows = 50);

}  // namespace pitot::predict
