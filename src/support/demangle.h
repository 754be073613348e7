// C++ names of kernels as a person writes them.
#pragma once

#include <string>
#include <string_view>

namespace pitot {

// "_Z6vecAddPKfS0_Pfi" → "vecAdd(float const*, float const*, float*, int)"; the name itself when it
// is not a mangled one.
std::string demangle(std::string_view name);

}  // namespace pitot
