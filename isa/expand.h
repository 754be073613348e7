// Loops of the table notation: one `for` row stands for a form repeated with other numbers or
// words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pitot::isagen {

// `rest` is what follows the keyword: `N=8..256/8, K=16|32 : form .m64n<N>k<K> ; w:{<N/2>}f32`.
// Appends the row after the colon for every combination of values, the last variable varying
// fastest. Returns an error message, empty when it went well.
std::string expand_loop(std::string_view rest, std::vector<std::string>& rows);

}  // namespace pitot::isagen
