// Statistics of timings: medians with bootstrap intervals, paired comparisons of interleaved
// samples, and what change could have been found.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/measure_result.h"

namespace pitot::measure {

double median(std::span<const double> values);     // NaN if there are none
double median_in_place(std::span<double> values);  // which it reorders

// Median with its 95 % interval by the percentile bootstrap (Efron, 1979), as infinitely many
// resamples would give it. Where neighbours in time resemble each other, as many fewer are drawn as
// they count for. With fewer than three values the interval is infinite.
Estimate bootstrap_median(std::span<const double> values);

// Whether to stop sampling: the half width of the median's interval is at most `relative` of it,
// and the samples count for at least 16 independent ones. Without that, series of samples that
// resemble their neighbours stop where they look quiet by chance, and their intervals cover less.
bool narrow_enough(std::span<const double> values, double relative);

// Values further than 5 scaled median absolute deviations from the median, and further than 0.1 %
// of it: a coarse timer's next tick is not an outlier.
uint32_t outliers(std::span<const double> values);

// Interleaved times of A and B: one entry a placement (its own loading of the modules), one pair a
// round within it. A pair with a time that is not finite and positive is left out.
struct Pairs {
  std::vector<std::vector<std::array<double, 2>>> placements;
};

struct PairedResult {
  Estimate change;              // median of B/A − 1
  double noise_band = 0;        // A against A stays within ± this in 99 % of such runs
  double least_detectable = 0;  // this change leaves the noise band in 80 % of such runs
  bool differs = false;         // the change is outside the band and its interval excludes none
};

// The median of the placements' median log ratios (their Hodges-Lehmann mean), so that A for B
// gives the opposite change. Two-stage bootstrap: placements are drawn, then rounds within them, so
// that what is common to all rounds of a placement does not count as many observations; its spread
// is widened for the number of placements as Student's t with one less (Hesterberg, 2015), and
// nothing is told apart with a single one: its interval is infinite. Six to ten placements are
// good.
PairedResult compare_pairs(const Pairs& pairs, uint64_t seed, unsigned resamples = 2000);

}  // namespace pitot::measure
