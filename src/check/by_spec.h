// Both kernels on what a spec says: at its sizes, and at boundary ones beside them.
#pragma once

#include "check/check_result.h"
#include "check/coverage.h"
#include "check/options.h"

namespace pitot::check {

// A spec's sizes, the smallest first, and boundary ones that it does not have: one number one more
// or one less than at its smallest full size, and everything 1.
struct CheckedSize {
  device::SizeSpec size;
  bool added = false;  // not the spec's: where the first kernel faults it is left out
  bool drawn = false;  // at random, because some code has not run
};
std::vector<CheckedSize> checked_sizes(const device::KernelSpec& spec);

Status check_by_spec(const Side& a, const Side& b, const Options& options, CheckResult& out,
                     Reached& reached_a, Reached& reached_b);

}  // namespace pitot::check
