// What buffers hold before a launch, made from a seed: the same bytes on every machine.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

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

// Elements of a buffer by the spec's `init`; errors name an unknown one.
Result<std::vector<std::byte>> initial_values(std::string_view init, ptx::Type type, uint64_t count,
                                              uint64_t seed);

}  // namespace pitot::device
