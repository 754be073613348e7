// Text and JSON of `optimize`.
#pragma once

#include <string>

#include "report/diagnostic_text.h"
#include "search/optimize_result.h"

namespace pitot::report {

std::string optimize_text(const search::OptimizeResult& r, const TextStyle& style);
// {schema, path, kernel, policy, cost, unit, gpu, size, baseline, best, change, sequence, verified,
// rejected, reason, evaluations, remembered, budget_spent, output, actions:[{action, tried,
// differs}], programs:[{sequence, sequences, hash, cost, noise, failure}], faults}. `baseline` and
// `best` are costs of what was written or would be; `change` is best / baseline − 1.
std::string optimize_json(const search::OptimizeResult& r);

}  // namespace pitot::report
