// Text and JSON of `transform`.
#pragma once

#include <string>
#include <vector>

#include "report/diagnostic_text.h"
#include "transform/transform_result.h"

namespace pitot::report {

std::string actions_text(const std::vector<transform::ActionRecord>& actions,
                         const TextStyle& style);
// {schema, actions:[{name, group, exclusive, what}]}
std::string actions_json(const std::vector<transform::ActionRecord>& actions);

std::string transform_text(const transform::TransformRecord& r, const TextStyle& style);
// {schema, path, kernel, output, steps:[{action, applied, changes, reason, declined:[{line,
// reason}]}], mask}: `reason` is the most frequent one where nothing was applied, else null.
std::string transform_json(const transform::TransformRecord& r);

}  // namespace pitot::report
