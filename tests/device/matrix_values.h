// Elements of matrices that tell apart how sums inside a tensor core are rounded.
#pragma once

#include "case.h"

namespace pitot::conformance {

// How the elements of one product are drawn.
enum class Mixture : uint8_t {
  kAlike,       // magnitudes within a factor of 16
  kWide,        // exponents all over the middle of the range
  kCancelling,  // few magnitudes of either sign: sums cancel to their last bits
  kPositive,    // all positive, nothing cancels
  kOneLarge,    // one element in eight is larger by far
  kSmallIntegers,
  kAny,      // any bits but NaN and infinity
  kSpecial,  // some infinities, NaNs, zeros and subnormals
};
inline constexpr unsigned kMixtures = 8;

// One element of a multiplicand (f16, bf16, tf32, e4m3, e5m2, f64, integers) or accumulator.
uint64_t matrix_element(Random& r, ptx::Type t, Mixture m);
// A register of `bits` filled with elements.
uint64_t matrix_register(Random& r, ptx::Type t, unsigned bits, Mixture m);

}  // namespace pitot::conformance
