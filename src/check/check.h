// Do two kernels compute the same? By their text when that settles it, else by running both on the
// emulator on inputs that a spec gives or that are inferred from the code.
#pragma once

#include "check/check_result.h"
#include "check/options.h"

namespace pitot::check {

// The same answer for the same seed, with any number of workers.
Result<CheckResult> check_kernels(const Side& a, const Side& b, const Options& options);

}  // namespace pitot::check
