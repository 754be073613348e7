// Arguments for kernels without a spec: sizes around the block's, values that suit their use.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "check/infer.h"
#include "check/options.h"
#include "device/image_spec.h"
#include "device/values.h"

namespace pitot::check {

// What both kernels are launched with. What either says of a parameter counts for both.
struct Plan {
  std::vector<Parameter> parameters;
  std::vector<uint32_t> sizes;             // that integer parameters should lie around
  std::array<uint32_t, 3> block{0, 0, 0};  // that a kernel asks for; 0: any will do
  bool block_y = false;                    // threads have a y
  bool grid_x = false, grid_y = false;     // so have blocks, else they would all do the same
  bool dynamic_shared = false;             // a kernel declares shared memory of the launch's size
  uint32_t most_shared = 0;                // bytes that a block of both targets may have
  // Triton's vectors of 16 bytes rest on a promise that numbers are multiples of 16. Which ones the
  // PTX does not say.
  bool promises = false;     // either kernel has such vectors
  bool promises_a = false;   // the first has
  uint32_t multiple_of = 1;  // integers are made multiples of it
  uint32_t clock_line = 0;   // where a kernel reads a clock; 0: nowhere
};
Plan make_plan(const Side& a, const std::vector<Parameter>& pa, const Side& b,
               const std::vector<Parameter>& pb);

// One launch of both kernels. The scalars are by parameter; pointers have their value in no place
// but in the memory made for them.
struct Trial {
  std::array<uint32_t, 3> grid{1, 1, 1};  // of clusters, where there are any
  std::array<uint32_t, 3> block{128, 1, 1};
  uint64_t seed = 0;
  device::SamplePattern pattern = device::SamplePattern::kMixed;
  unsigned special = 0;           // device::Sample::special
  std::vector<uint64_t> scalars;  // bits, by parameter
};

// The n-th trial of a check: small ones first. `edge`: one for what has not run yet, with small
// numbers that have no relation to each other.
Trial make_trial(const Plan& plan, unsigned number, uint64_t seed, bool edge = false);

// Whether every integer is a multiple of 16.
bool all_round(const Plan& plan, const Trial& trial);

// The same with a quarter of every integer, and of the grid; false when nothing is left of them.
bool make_smaller(const Plan& plan, Trial& trial);

std::string describe(const Plan& plan, const Trial& trial);  // "grid 2, n = 127"

// The image that stands for a handle, alike for both kernels: without and with its sampling.
device::ImageSpec image_spec(const Parameter& p);
device::ImageSpec image_spec(const Trial& trial, const Parameter& p, size_t parameter);

// The element that lies behind a pointer or in an image, and what it holds: the same for both
// kernels.
ptx::Type element_of(const Parameter& p);
device::Sample sample_of(const Plan& plan, const Trial& trial, size_t parameter);
// Of what is written there: by which type it is compared.
ptx::Type result_of(const Parameter& p);

}  // namespace pitot::check
