// Fitting the trees of a model to rows of a data set, and scoring rows that they have not seen.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/dataset.h"
#include "predict/model.h"
#include "predict/recipe.h"
#include "predict/splits.h"
#include "predict/xgboost_api.h"

namespace pitot::predict {

struct FittedStages {
  Stage time;
  std::optional<Stage> order;
  double order_share = 0;
  bool corrects_analytic = true;
  double unseen_trust = 1;
  TrainingSpace space;
};

// The columns behind those of the schema.
std::vector<std::string> extra_columns(const Dataset& data);

// Learns from the rows `split.train`, of which `split.shots` weigh the recipe's shot_weight;
// otherwise each family weighs the same. `target` is "time" or a further target's column. Errors:
// kInput without rows that have the target, kFailed from XGBoost.
Result<FittedStages> fit_stages(const XgboostApi& api, const Dataset& data, const Split& split,
                                const Recipe& recipe, const std::string& target = "time");

// A row scored by stages that had not seen it.
struct ScoredRow {
  size_t row = 0;
  unsigned split = 0;
  double log_us = 0, log_score = 0;  // of the row alone; within its group
  Likeness likeness;
};

// Fits each split, with the part of the data's extra columns that belongs to it, and scores its
// test rows; all features of a group are known when its variants are compared, times only of those
// in `train`. In the order of the splits, then of the rows.
Result<std::vector<ScoredRow>> cross_predict(const XgboostApi& api, const Dataset& data,
                                             std::span<const Split> splits, const Recipe& recipe,
                                             unsigned workers, const std::string& target = "time");

// What is wanted of a row: measured time in microseconds, or a further target. NaN: not there.
double target_of(const DataRow& row, const std::string& target);

}  // namespace pitot::predict
