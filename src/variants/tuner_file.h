// Reading what other tuners measured: Kernel Tuner's cache files and T4 results.
#pragma once

#include <string>
#include <vector>

#include "support/result.h"
#include "variants/tuner_result.h"

namespace pitot::variants {

struct TunerOptions {
  std::string objective;  // which number is the time of a launch; empty: the file's, else "time"
  std::string unit;       // "ns", "us", "ms", "s": of the times, whatever the file says
};

// The objective of a row is its summary; where the file has the single times, their median counts
// and its 95 % interval (by order statistics). Whatever does not fit the usual meaning of such a
// file is a suspicion and no error: see docs/variants.md. Errors: no JSON, neither of the formats,
// no parameters, an unknown unit.
Result<TunerResult> read_tuner_file(const std::string& path, const std::string& text,
                                    const TunerOptions& options);

// The 95 % interval of the median of a sample by order statistics: the closest ranks whose binomial
// coverage is at least 0.95. Nothing for fewer than six values, which cannot reach it.
struct MedianInterval {
  double median = 0, lo = 0, hi = 0;
};
double median_of(std::vector<double> values);  // NaN of none
bool median_interval(std::vector<double> values, MedianInterval& out);

}  // namespace pitot::variants
