// Text and JSON of `check`.
#pragma once

#include <string>
#include <vector>

#include "check/check_result.h"
#include "report/diagnostic_text.h"
#include "report/verify_report.h"

namespace pitot::report {

std::string check_text(const check::CheckResult& r, const TextStyle& style);

// The same of one pair of many: a line when they are the same.
std::string check_line(const check::CheckResult& r, const TextStyle& style);

// "3 pairs of kernels: 2 same, 1 different", with a newline.
std::string check_summary(const std::vector<check::CheckResult>& results);

// What can be done next, a line each; empty when there is nothing to say.
std::string check_hint(const std::vector<check::CheckResult>& results, bool with_spec);

// {schema, verdict, evidence, trials, counterexample, …, pairs}: the keys of the worst pair, and
// under `pairs` those of every pair; files with errors and what else was printed beside them.
std::string check_json(const std::vector<check::CheckResult>& results,
                       const std::vector<VerifiedFile>& problems = {},
                       const std::vector<std::string>& errors = {});

}  // namespace pitot::report
