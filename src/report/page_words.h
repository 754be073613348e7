// Numbers as a page shows them, and the cells that hold them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/page_model.h"

namespace pitot::report::page {

inline constexpr const char* kNothing = "–";

// About `digits` significant digits, "–" where it is not known.
std::string figure(double v, int digits = 4);
std::string fixed(double v, int decimals);
std::string percent(double share, int decimals = 1);         // 0.5: "50.0 %"
std::string signed_percent(double share, int decimals = 2);  // 0.5: "+50.00 %"

// Decimals for a column of these values: four significant digits of the largest, at most 4.
int decimals_for(const std::vector<double>& values);

Cell text_cell(std::string text, std::string note = {});
Cell badge(std::string text, Tone tone);
Cell number_cell(double v, std::string text);
Cell fixed_cell(double v, int decimals);
Cell count_cell(double v);
Cell percent_cell(double share, int decimals = 1);
Cell change_cell(double share);  // signed, less is better
// "value" with "low … high" beside it, without the unit that `words` gives.
using NumberWords = std::function<std::string(double)>;
Cell interval_cell(double v, double low, double high, const NumberWords& words);

Column text_column(std::string name, std::string help = {});
Column code_column(std::string name, std::string help = {});
Column number_column(std::string name, std::string help = {});

}  // namespace pitot::report::page
