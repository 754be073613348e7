// Another tuner's results as a summary, as the rows of a data set, and as JSON.
#pragma once

#include <string>

#include "report/diagnostic_text.h"
#include "variants/import_result.h"

namespace pitot::report {

// What is in the files, how far it can be believed, and the best configurations.
std::string import_text(const variants::ImportResult& result, const TextStyle& style);
// The columns of data/…/variants/FAMILY.csv, then power_w, source_file, objective, unit,
// timestamp, launchable, launch_problem, message and suspicions (codes, by blanks).
std::string import_csv(const variants::ImportResult& result);
// pitot.import/1
std::string import_json(const variants::ImportResult& result);

}  // namespace pitot::report
