// The median of values drawn again with replacement: its distribution known at once instead of by
// drawing, for bootstrap intervals that take microseconds.
#pragma once

#include <span>
#include <vector>

namespace pitot::measure {

// The median of m draws from n values is the k-th smallest of them, where k/n is the next step
// above a variable distributed Beta((m+1)/2, (m+1)/2): exact for odd m.
class ResampledMedian {
 public:
  // At least one value; as many draws as values, or fewer.
  explicit ResampledMedian(std::span<const double> values)
      : ResampledMedian(values, static_cast<double>(values.size())) {}
  ResampledMedian(std::span<const double> values, double draws);

  double median() const { return median_; }  // of the values themselves

  // The value below which the resampled median lies in a share `p` of draws; with uniform p in
  // [0, 1), one draw.
  double at(double p) const;

 private:
  std::vector<double> sorted_;
  std::vector<double> cumulative_;  // of the share of draws up to each value
  double median_ = 0;
};

}  // namespace pitot::measure
