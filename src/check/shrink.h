// Makes a counterexample small: the smallest grid, then the fewest special values, then the
// smallest numbers, as long as the two kernels still come to the same end.
#pragma once

#include "check/judge.h"

namespace pitot::check {

// `trial` ends as `judged` does (kDifferent or kFault); both are replaced by what was found.
// Bounded by attempts and by instructions, not by time, so that the outcome is the same everywhere.
Status shrink(TrialJudge& judge, const Plan& plan, Trial& trial, Judged& judged);

}  // namespace pitot::check
