// Whether two results are equal by their type: integers exactly, floats within a tolerance.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/types.h"

namespace pitot::check {

struct Tolerance {
  double relative = 0, absolute = 0;
};

// What a reordered sum of a few thousand terms may differ by; 0 for integers.
Tolerance default_tolerance(ptx::Type type);

enum class Likeness : uint8_t { kSameBits, kClose, kDifferent };
// NaN equals NaN, whatever its bits; −0 is close to 0.
Likeness compare(uint64_t a, uint64_t b, ptx::Type type, const Tolerance& tolerance);

// Steps between two floats of a type; 0 for equal ones, infinity when one is NaN.
double ulp_distance(uint64_t a, uint64_t b, ptx::Type type);
std::string element_text(uint64_t bits, ptx::Type type);

}  // namespace pitot::check
