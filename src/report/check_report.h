// Text and JSON of `check`.
#pragma once

#include <string>
#include <vector>

#include "check/check_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

std::string check_text(const check::CheckResult& r, const TextStyle& style);
// {schema, verdict, evidence, trials, counterexample, …}; of several pairs, the worst verdict and
// {pairs: [the same]}.
std::string check_json(const std::vector<check::CheckResult>& results);

}  // namespace pitot::report
