// Training of boosted trees by XGBoost's library: rows, labels and settings in, a forest out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predict/forest.h"
#include "predict/matrix.h"
#include "predict/xgboost_api.h"

namespace pitot::predict {

struct BoostOptions {
  std::string objective = "reg:squarederror";  // or rank:pairwise, binary:logistic
  unsigned trees = 200, max_depth = 6;
  double learning_rate = 0.1, subsample = 1, colsample_bytree = 1;
  double min_child_weight = 1, lambda = 1;
  std::string tree_method;  // empty: XGBoost's own choice
  uint64_t seed = 42;
  bool operator==(const BoostOptions&) const = default;
};

struct BoostInput {
  const Matrix& rows;
  std::span<const float> labels;       // one a row
  std::span<const float> weights{};    // one a row (ranking: one a group); empty: all 1
  std::span<const float> margins{};    // where each row starts; empty: the objective's own
  std::span<const unsigned> groups{};  // ranking: sizes of the groups, which follow one another
};

// One thread, so that the same input gives the same trees. With margins given, the forest's base
// is 0: whoever evaluates adds the row's margin. Errors: kInput for sizes that do not agree or no
// rows, kFailed with XGBoost's message.
Result<Forest> boost(const XgboostApi& api, const BoostInput& input, const BoostOptions& options);

}  // namespace pitot::predict
