// Regression trees as XGBoost trains them, evaluated without its library: a row goes left where its
// value is less than the threshold, by default where it is not known, and the leaves' values are
// summed, all in single precision as there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot::predict {

// One node as files have it; children are numbers within the tree, −1 for a leaf.
struct TreeNode {
  int32_t left = -1, right = -1;
  uint32_t feature = 0;
  float value = 0;  // the threshold, or what the leaf adds
  bool default_left = false;
  float gain = 0;  // of the loss, by the split
};
using Tree = std::vector<TreeNode>;

class Forest {
 public:
  Forest() = default;
  // Errors (kInput): a child that is no node of the tree, a node with two parents, a feature that
  // is not below `features`. `base` is added to the sum of the leaves.
  static Result<Forest> build(std::vector<Tree> trees, float base, size_t features);

  // The sum of base and leaves; `row` has `features()` values.
  float margin(std::span<const float> row) const;

  size_t features() const { return features_; }
  float base() const { return base_; }
  const std::vector<Tree>& trees() const { return trees_; }
  // Total gain by feature, over all trees, as shares of 1; zeros for a forest without splits.
  std::vector<double> importance() const;

 private:
  // Children beside each other, so that a step is an addition; a leaf steps to itself.
  struct Step {
    float threshold = 0;
    uint32_t feature = 0;
    uint32_t left = 0;
    uint16_t inner = 0;  // 0 for a leaf, else 1
    uint16_t default_right = 0;
  };

  std::vector<Tree> trees_;
  std::vector<Step> steps_;
  std::vector<float> leaves_;  // by step
  std::vector<uint32_t> roots_, depths_;
  float base_ = 0;
  size_t features_ = 0;
};

// The trees of XGBoost's JSON model (version 1.6 and later). The base is that of the margin: for a
// logistic objective the log odds of base_score. Errors (kInput): no such JSON, another booster
// than gbtree, splits by category.
Result<Forest> read_xgboost_model(std::string_view json);

}  // namespace pitot::predict
