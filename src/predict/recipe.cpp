#include "predict/recipe.h"

#include <fmt/format.h>

namespace pitot::predict {
namespace {

// The settings published for ranking by nine static counts (spec: n_estimators 200, max_depth 6,
// learning_rate 0.1, subsample 0.8, colsample_bytree 0.7, seed 42).
Recipe classic() {
  Recipe r;
  r.name = "classic";
  r.view = InputView::kClassic;
  r.corrects_analytic = false;
  r.boost.subsample = 0.8;
  r.boost.colsample_bytree = 0.7;
  return r;
}

// Chosen by cross-validation over the development families (docs/results/ranking-h200.md).
Recipe ours() {
  Recipe r;
  r.name = "pitot";
  r.boost = {"reg:squarederror", 400, 6, 0.08, 0.8, 0.2, 1, 2, "hist", 42};
  r.order_share = 0.5;
  r.order = r.boost;
  r.unseen_trust = 0.4;
  r.shot_weight = 4;
  return r;
}

}  // namespace

std::vector<std::string> recipe_names() { return {"classic", "pitot"}; }

Result<Recipe> find_recipe(std::string_view name) {
  if (name == "classic") return classic();
  if (name == "pitot") return ours();
  return input_error(
      fmt::format("no recipe '{}'; there are {}", name, fmt::join(recipe_names(), ", ")));
}

}  // namespace pitot::predict
