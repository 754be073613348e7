// Integer and real expressions of a kernel spec: sizes by name, + - * / %, parentheses,
// ceil_div(a, b), min(a, b), max(a, b). Integer division rounds toward zero.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "support/result.h"

namespace pitot::device {

using Sizes = std::map<std::string, int64_t, std::less<>>;

// Errors name what is wrong: an unknown name, a division by zero, an overflow of 64 bits.
Result<int64_t> evaluate(std::string_view expression, const Sizes& sizes);

// A single number may have a fraction or an exponent ("1e-06"); anything else is an integer
// expression.
Result<double> evaluate_real(std::string_view expression, const Sizes& sizes);

}  // namespace pitot::device
