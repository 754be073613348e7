// Putting parameters' values into texts: names in expressions, ${…} in PTX and other strings.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"
#include "variants/grid.h"

namespace pitot::variants {

// The values by name, for the functions below.
struct Bindings {
  device::Sizes numbers;
  device::Words texts;
};
Bindings bindings_of(const Template& t, const Configuration& c);

// Every name of a parameter replaced by its value (negative ones in parentheses), then the whole
// computed where no other name is left: "ceil_div(n, BN)" → "ceil_div(n, 64)", "BN / 4" → "16".
// Errors: of the evaluation.
Result<std::string> fill_expression(std::string_view text, const Bindings& values);

// Every ${EXPRESSION} replaced by its value, or by the text that the parameter stands for.
// Errors name the expression; `line` then has its line in the text, from 1.
Result<std::string> fill_placeholders(std::string_view text, const Bindings& values,
                                      uint32_t* line = nullptr);

}  // namespace pitot::variants
