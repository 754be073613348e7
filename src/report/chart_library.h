// Chart.js, built into the program where it was there when that was built.
#pragma once

#include <string_view>

namespace pitot::report {

// chart.min.js as it is; empty without it.
std::string_view chart_library_text();

}  // namespace pitot::report
