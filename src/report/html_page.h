// The frame of a self-contained HTML page: style inside, no script, light and dark.
#pragma once

#include <string>
#include <string_view>

#include "gate/diff_result.h"

namespace pitot::report {

std::string html_page(std::string_view title, std::string_view body);
// One kernel's comparison: class, changes, counts, changed lines side by side.
std::string html_kernel(const gate::KernelDiff& kernel);

}  // namespace pitot::report
