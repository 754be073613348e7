// Both kernels on arguments that are inferred from their code.
#pragma once

#include "check/check_result.h"
#include "check/coverage.h"
#include "check/options.h"

namespace pitot::check {

Status check_by_inference(const Side& a, const Side& b, const Options& options, CheckResult& out,
                          Reached& reached_a, Reached& reached_b);

}  // namespace pitot::check
