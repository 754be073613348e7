// The JSON of a verb that could not do its work: what was wrong with the input, in the verb's own
// schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/verify_report.h"

namespace pitot::report {

// `verb`: run, check, profile, variants or import. The keys that tell success say no (`ok`,
// `verdict`), lists of results are empty, `diagnostics` has every finding with its file's path,
// `errors` what has no place in a file.
std::string problem_json(std::string_view verb, const std::vector<VerifiedFile>& files,
                         const std::vector<std::string>& errors);

}  // namespace pitot::report
