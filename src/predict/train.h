// Making a model: validation by splits, intervals, thresholds, the second stage, and the trees of
// all rows.
#pragma once

#include <string>
#include <vector>

#include "predict/dataset.h"
#include "predict/model.h"
#include "predict/recipe.h"
#include "predict/training_result.h"
#include "predict/xgboost_api.h"

namespace pitot::predict {

struct TrainOptions {
  unsigned folds = 5;
  bool by_family = true, by_target = false;  // further splits to validate by
  std::vector<unsigned> shots;               // of few-shot splits
  std::vector<std::string> against;          // recipes whose figures are wanted beside
  bool untrained = true;                     // figures of the untrained scores
  double coverage = 0.9, pair_accuracy = 0.99;
  double least_difference = 0.01;  // relative, of a pair of variants that counts
  std::string target = "time";
  std::vector<std::string> held_out;  // families that are not learned from
  bool final_test = false;            // figures on them, by the model that is made
  uint64_t seed = 1;
  unsigned workers = 0;
  std::string tool;  // name and version of the program
};

struct TrainedModel {
  Model model;
  TrainingResult result;
};

// Errors: kInput without measured rows to learn from, for a family that is not there, or features
// of another schema; kFailed from XGBoost.
Result<TrainedModel> train_model(const XgboostApi& api, const Dataset& data, const Recipe& recipe,
                                 const TrainOptions& options);

}  // namespace pitot::predict
