// The exact values of the approximate functions and the errors that the PTX ISA allows them
// ("Floating Point Instructions", "Half Precision Floating Point Instructions").
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ptx/types.h"

namespace pitot::conformance {

struct Exactly {
  double value = 0;          // of the function, operands flushed where .ftz says so
  double allowed = 0;        // absolute error; infinite where nothing is promised
  double ulp = 0;            // of the result's format at the value
  double flushed_below = 0;  // magnitudes below it may come as zero
  bool known = false;
};

// `operands`: bits of the sources, of one element for packed types.
Exactly exactly(const std::string& spelling, ptx::Type type, std::span<const uint64_t> operands);
// Bits of one element as a number.
double number_of(ptx::Type t, uint64_t bits);

}  // namespace pitot::conformance
