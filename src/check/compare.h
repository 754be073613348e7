// Whether two results are equal by their type: integers exactly, floats as far as rounding explains
// the difference.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/shadow_value.h"
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

// Against what exact arithmetic makes of a's computation: b may be off by what a is, and by what
// rounding in any order explains (emulator/shadow_value.h). `trusted` false: a itself is further
// off than that, so that the estimate says nothing, and the tolerance was used.
Likeness compare(uint64_t a, uint64_t b, ptx::Type type, const emulator::ShadowValue& exact,
                 const Tolerance& otherwise, bool& trusted);

// Steps between two floats of a type; 0 for equal ones, infinity when one is NaN.
double ulp_distance(uint64_t a, uint64_t b, ptx::Type type);
std::string element_text(uint64_t bits, ptx::Type type);

// A note: the kernel of one side writes a variable of its module that the other's lacks.
std::string unpaired_variable(char side, const std::string& name);

}  // namespace pitot::check
