// XGBoost's JSON model, of which only the trees are taken.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "predict/forest.h"
#include "support/csv_table.h"

namespace pitot::predict {
namespace {

using XgboostJson = nlohmann::json;

// "5E-1", and "[5E-1]" from version 3.1 on.
std::optional<double> base_score(const XgboostJson& parameters) {
  std::string text = parameters.at("base_score").get<std::string>();
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  return csv_number(text);
}

Tree xgboost_tree(const XgboostJson& t) {
  const auto& left = t.at("left_children");
  Tree tree(left.size());
  for (size_t i = 0; i < tree.size(); ++i) {
    TreeNode& n = tree[i];
    n.left = left.at(i).get<int32_t>();
    n.right = t.at("right_children").at(i).get<int32_t>();
    n.feature = n.left < 0 ? 0 : t.at("split_indices").at(i).get<uint32_t>();
    n.value = t.at("split_conditions").at(i).get<float>();
    n.default_left = t.at("default_left").at(i).get<int>() != 0;
    n.gain = t.at("loss_changes").at(i).get<float>();
    if (n.left < 0) n.left = n.right = -1;
  }
  return tree;
}

Result<Forest> read_learner(const XgboostJson& learner) {
  const XgboostJson& booster = learner.at("gradient_booster");
  if (booster.at("name") != "gbtree")
    return input_error("the booster is not gbtree but " + booster.at("name").get<std::string>());
  const XgboostJson& parameters = learner.at("learner_model_param");
  auto base = base_score(parameters);
  auto features = csv_number(parameters.at("num_feature").get<std::string>());
  if (!base || !features) return input_error("base_score or num_feature is no number");
  const std::string objective = learner.at("objective").at("name");
  if (objective.find("logistic") != objective.npos) base = std::log(*base / (1 - *base));
  std::vector<Tree> trees;
  for (const XgboostJson& t : booster.at("model").at("trees")) {
    if (!t.value("categories_nodes", XgboostJson::array()).empty())
      return input_error("the model splits by categories");
    trees.push_back(xgboost_tree(t));
  }
  return Forest::build(std::move(trees), static_cast<float>(*base), static_cast<size_t>(*features));
}

}  // namespace

Result<Forest> read_xgboost_model(std::string_view json) {
  const XgboostJson document = XgboostJson::parse(json, nullptr, false);
  if (document.is_discarded()) return input_error("XGBoost's model is no JSON");
  // at() throws for what is not there; the text comes from outside.
  try {
    return read_learner(document.at("learner"));
  } catch (const XgboostJson::exception& e) {
    return input_error(std::string("XGBoost's model is not as expected: ") + e.what());
  }
}

}  // namespace pitot::predict
