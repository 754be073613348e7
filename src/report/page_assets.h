// The page's own style sheet and script.
#pragma once

#include <string_view>

namespace pitot::report::page {

std::string_view page_style();
std::string_view page_script();
// Copyright and permission notice of the chart library, as its licence wants it in every copy.
std::string_view chart_licence();

}  // namespace pitot::report::page
