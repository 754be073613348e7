// Integer and real expressions of kernel specs and templates: sizes by name, + - * / %,
// parentheses, ceil_div(a, b), min(a, b), max(a, b), comparisons, ! && ||. Integer division rounds
// toward zero; what is true counts 1, what is not 0.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "support/result.h"

namespace pitot::device {

using Sizes = std::map<std::string, int64_t, std::less<>>;
// Names whose values are texts: they, and texts in single quotes, can be compared by == and !=.
using Words = std::map<std::string, std::string, std::less<>>;

// Errors name what is wrong: an unknown name, a division by zero, an overflow of 64 bits. The right
// side of && and || is not computed where the left one decides.
Result<int64_t> evaluate(std::string_view expression, const Sizes& sizes, const Words& words = {});

// A single number may have a fraction or an exponent ("1e-06"); anything else is an integer
// expression.
Result<double> evaluate_real(std::string_view expression, const Sizes& sizes);

}  // namespace pitot::device
