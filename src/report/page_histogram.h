// Samples put into bins.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/page_model.h"

namespace pitot::report::page {

using Samples = std::pair<std::string, std::vector<double>>;  // name, values

// At most 40 bins of one width over all samples, each series counted apart, those without samples
// too; values that are not known or above 1e300 are left out, a chart without series where none are
// left. With Scale::kRatio bins are of log2, one edge is at 1, and values must be above 0.
Chart histogram(const std::vector<Samples>& samples, Chart::Scale scale = Chart::Scale::kPlain);

// Linear between the two nearest; `sorted` is not empty, `part` from 0 to 1.
double quantile(const std::vector<double>& sorted, double part);

}  // namespace pitot::report::page
