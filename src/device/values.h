// What buffers hold before a launch, made from a seed: the same bytes on every machine.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/expression.h"
#include "ptx/types.h"
#include "support/result.h"

namespace pitot::device {

// Independent of the order of use: the n-th value of a stream (SplitMix64 of seed and index).
uint64_t random_bits(uint64_t seed, uint64_t index);
double random_unit(uint64_t seed, uint64_t index);    // [0, 1)
double random_normal(uint64_t seed, uint64_t index);  // mean 0, deviation 1

// The byte that poison is made of; no kernel should leave whole elements of it behind.
inline constexpr std::byte kPoison{0xcd};

// A number in an element type's encoding: rounded to nearest even, integers saturated.
uint64_t encode(double value, ptx::Type type);
double decode(uint64_t bits, ptx::Type type);

// Test data that suits a type: element `index` of a stream. Floats follow the pattern, integers are
// small (of kIndex, below 32); about one element in 64 is one of the special values whose bits are
// set.
enum class SamplePattern : uint8_t { kMixed, kEqual, kLarge, kNegative, kWide, kPositive, kIndex };
inline constexpr unsigned kSamplePatterns = 7;
// Of floats, in the order of the bits: NaN, +inf, −inf, −0, 1e30, −1e-30, 65504, 1e-40. Of
// integers, any bit set: any bits.
inline constexpr unsigned kAllSpecial = 0xff;
struct Sample {
  uint64_t seed = 0;  // below 2^32, so that a spec can say it
  SamplePattern pattern = SamplePattern::kMixed;
  unsigned special = 0;
};
uint64_t sample_bits(const Sample& sample, int64_t index, ptx::Type type);

// Standard normal numbers, but for one element in `one_in`, which is one of these special values.
uint64_t special_bits(uint64_t seed, uint64_t index, unsigned kinds, uint64_t one_in,
                      ptx::Type type);

// An `init` of a spec, whose arguments are expressions of the sizes, with their values at one size.
Result<std::string> initialiser_at(std::string_view init, const Sizes& sizes);

// Elements [first, first + count) of a buffer by an `init` whose arguments are numbers: normal,
// uniform(lo, hi), zero, bits, iota(step), poison, sample(seed, pattern, special),
// special(kinds, one_in), and for indices permutation(n), cycle(n), csr_offsets(mean, skew): see
// index_values.h. Errors name an unknown one. `origin`: the element that a pointer to the buffer
// points to; samples count from there.
Result<std::vector<std::byte>> initial_values(std::string_view init, ptx::Type type, uint64_t count,
                                              uint64_t seed, uint64_t origin = 0,
                                              uint64_t first = 0);

}  // namespace pitot::device
