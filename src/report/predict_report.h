// Text, JSON and CSV of `predict` and `rank`.
#pragma once

#include <string>

#include "predict/predict_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

std::string predict_text(const predict::PredictResult& result, const TextStyle& style);
// {schema: "pitot.predict/1", model, recipe, coverage, warnings, kernels: [{path, kernel, size,
// value, interval, ood, launchable, …}], errors}
std::string predict_json(const predict::PredictResult& result);
std::string predict_csv(const predict::PredictResult& result);

std::string rank_text(const predict::RankResult& result, const TextStyle& style);
// {schema: "pitot.rank/1", …, order: [{kernel, score, interval, ood, uncertain, …}], measure: […]};
// `kernel` is the path, `entry` the name in it. No interval is [null, null].
std::string rank_json(const predict::RankResult& result);
std::string rank_csv(const predict::RankResult& result);

}  // namespace pitot::report
