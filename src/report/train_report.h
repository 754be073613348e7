// Text and JSON of `train`.
#pragma once

#include <string>

#include "predict/training_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

// What was learned from, the table of figures, the risk–coverage curve, and what the trees look at.
std::string train_text(const predict::TrainingResult& result, const TextStyle& style);

// {schema: "pitot.train/1", …, lines: [{split, score, pairwise: {mean, ci95}, …, groups: […]}],
// second_stage: {accuracy, coverage, curve}, importance}
std::string train_json(const predict::TrainingResult& result);

}  // namespace pitot::report
