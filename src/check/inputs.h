// Arguments for kernels without a spec: sizes around the block's, values that suit their use.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "check/infer.h"
#include "emulator/launch.h"

namespace pitot::check {

// One launch of both kernels. The scalars are by parameter; pointers have their value in no place
// but in the memory made for them.
struct Trial {
  std::array<uint32_t, 3> grid{1, 1, 1};
  uint64_t seed = 0;
  bool special = false;           // some values are NaN, infinite, zero, huge or tiny
  std::vector<uint64_t> scalars;  // bits, by parameter
  std::string description;        // "grid 2, n = 127"
};

// Numbers of a kernel that sizes should lie around: its block, and round constants that it compares
// with or adds.
std::vector<uint32_t> interesting_sizes(const ptx::Module& module, const ptx::Function& kernel);

// The n-th trial of a check: small ones first.
Trial make_trial(const std::vector<Parameter>& parameters, const std::vector<uint32_t>& sizes,
                 unsigned number, uint64_t seed);

// What lies behind a pointer, as a function of the offset: the same for both kernels.
emulator::PageFill filling(const Parameter& p, const Trial& trial, size_t number);

}  // namespace pitot::check
