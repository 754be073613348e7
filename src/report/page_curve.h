// Learning curves as `pitot learn` writes them, in CSV.
#pragma once

#include <string>
#include <string_view>

#include "report/page_model.h"
#include "support/result.h"

namespace pitot::report::page {

// Does the first line name the columns of a learning curve ("epoch,…", "steps,…")?
bool is_curve(std::string_view text);

// Columns of numbers by "epoch" or "steps". Errors: "PATH:LINE: what".
Result<Section> read_curve(const std::string& path, std::string_view text);

}  // namespace pitot::report::page
