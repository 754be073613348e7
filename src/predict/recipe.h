// How a model is made: what it sees, what it predicts, and the settings of the trees.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/boosting.h"
#include "predict/inputs.h"
#include "support/result.h"

namespace pitot::predict {

struct Recipe {
  std::string name;
  // The first stage: log time, or by how much the analytic score is off (log time less log score).
  InputView view = InputView::kScaleFree;
  GroupMask groups = kAllGroups;
  bool corrects_analytic = true;
  BoostOptions boost;
  // The second: order within a group of variants, from how each differs from the others. Its part
  // of the score, 0…1; 0: there is none.
  double order_share = 0;
  BoostOptions order;
  // What the trees count in the score of a group unlike those learned from; the rest is the
  // analytic score's: corrections that were learned elsewhere help there less than they harm.
  double unseen_trust = 1;
  // What measured variants of the family at hand weigh, when there are a few.
  double shot_weight = 1;
};

// "classic": the published recipe, nine static columns and log time. "pitot": corrects the analytic
// score. Errors (kInput) name the recipes.
Result<Recipe> find_recipe(std::string_view name);
std::vector<std::string> recipe_names();

}  // namespace pitot::predict
