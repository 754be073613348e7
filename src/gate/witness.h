// Inputs that tell two spellings of a comparison or integer operation apart.
#pragma once

#include <string>
#include <string_view>

namespace pitot::gate {

// "a = 40000, b = 5: 0 before, 1 after" for setp.gt.s16 and setp.gt.u16; empty when none of the
// values tried tells the two apart, or the instruction is not one that is evaluated here (setp and
// set without a combining predicate; min, max, shr, div, rem, mul.hi on integers).
std::string find_witness(std::string_view from, std::string_view to);

}  // namespace pitot::gate
