// PTX out of what a generator said: models put it between prose and fences.
#pragma once

#include <string>
#include <string_view>

namespace pitot::bench {

// The longest fenced block that has a `.version`, else the text from the first line that begins
// with
// `.version` (or a comment right before it) on; else the whole text as it is.
std::string extract_ptx(std::string_view said);

}  // namespace pitot::bench
