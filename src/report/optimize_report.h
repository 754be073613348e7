// Text, JSON and CSV of `optimize`: one search, and a table of many.
#pragma once

#include <span>
#include <string>

#include "report/diagnostic_text.h"
#include "search/optimize_result.h"

namespace pitot::report {

std::string optimize_text(const search::OptimizeResult& r, const TextStyle& style);
// {schema, path, kernel, policy, cost, unit, gpu, protocol, size, baseline, best, change, sequence,
// verified, rejected, reason, rejections:[{sequence, reason}], evaluations, images, measured,
// remembered, budget_spent, stopped, drift, output, warnings, actions:[{action, tried,
// differs}], programs:[{sequence, sequences, hash, image, cost, noise, failure}], failures:{reason:
// count}, faults}. `baseline` and `best` are costs of what was written or would be; `change` is
// best / baseline − 1; `verified` is null where no check was made; `rejected` and `reason` are of
// the first that the check did not confirm.
std::string optimize_json(const search::OptimizeResult& r);

// A row a kernel: {schema: "pitot.optimize-table/1", kernels: [the above without actions and
// programs, with name, class and seconds; of those without a search name, class, path and error],
// errors}.
std::string optimize_table_text(std::span<const search::OptimizeResult> rows,
                                const TextStyle& style);
std::string optimize_table_json(std::span<const search::OptimizeResult> rows,
                                std::span<const std::string> errors);
std::string optimize_table_csv(std::span<const search::OptimizeResult> rows);

}  // namespace pitot::report
