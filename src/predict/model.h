// A trained model: what it was made from and for, and what it says of kernels. Asking it needs no
// library and no GPU.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/conformal.h"
#include "predict/forest.h"
#include "predict/inputs.h"
#include "predict/metrics_result.h"
#include "predict/outside.h"
#include "predict/recipe.h"
#include "predict/second_stage.h"
#include "support/result.h"

namespace pitot::predict {

// Where a model comes from, and so what it may be asked about.
struct ModelOrigin {
  int feature_schema = kFeatureSetSchema;
  std::string data_hash;               // of the data set's files
  std::vector<std::string> families;   // learned from, sorted; so are the lists below
  std::vector<std::string> compilers;  // producers with versions, as rows have them
  std::vector<std::string> targets;    // "sm_90"
  std::vector<std::string> gpus;
  std::vector<std::string> protocols;  // of the measurements
  uint64_t rows = 0;                   // learned from
  uint64_t seed = 0;
  std::string xgboost, tool;  // versions
};

// A figure that was found when the model was made, on rows that it had not seen.
struct ValidationFigure {
  std::string split;  // "5-fold within family"
  MeanWithInterval pairwise, spearman, top5;
  double coverage = 0;  // of the intervals
};

struct Stage {
  InputView view = InputView::kScaleFree;
  GroupMask groups = kAllGroups;
  std::vector<std::string> extra;  // columns that it needs besides those of the schema
  Forest forest;
};

struct Model {
  std::string recipe;
  std::string target = "time";  // or a further target's column
  bool corrects_analytic = true;
  Stage time;
  std::optional<Stage> order;
  double order_share = 0;
  double unseen_trust = 1;  // what the stages count beside the analytic score for unlike groups
  Calibration calibration;
  TrainingSpace space;      // of the first stage's inputs, without the extra ones
  std::string extra_group;  // "graph"; empty: it needs no columns but those of the schema
  std::optional<SecondStage> second;
  ModelOrigin origin;
  std::vector<ValidationFigure> validation;
};

// What a model says of one variant among those it was asked about together.
struct Prediction {
  double us = 0, lo_us = 0, hi_us = 0;  // of this variant alone; hi may be infinite
  double score = 0;                     // for ordering the group, lower is faster; microseconds
  double analytic_us = 0;               // NaN: there is none
  Likeness likeness;
  bool known() const { return us == us; }  // NaN: its features say too little
};

// Of the variants of one group (one kernel alone is a group of one): `rows` have kColumnCount
// values, and those of the extra group where the model needs one. The order stage compares them
// with each other.
std::vector<Prediction> predict_group(const Model& model,
                                      std::span<const std::span<const double>> rows);

// The untrained score in the same form, without intervals: lo and hi are 0 and infinite.
std::vector<Prediction> analytic_group(std::span<const std::span<const double>> rows);

// What the stages say of the variants of one group, as logarithms; NaN where they cannot.
struct StageLogs {
  std::vector<double> time;   // by the first stage: each alone
  std::vector<double> score;  // by both: the order within the group
};
struct StageMix {
  const Stage* time = nullptr;
  const Stage* order = nullptr;  // null: there is none
  double order_share = 0;
  bool corrects_analytic = true;
  double trust = 1;  // the rest of the score is the analytic one's
};
StageLogs stage_logs(const StageMix& stages, std::span<const std::span<const double>> rows);

// Whether a group is unlike what was learned from: most of its variants are.
bool is_unlike(std::span<const Likeness> group);

}  // namespace pitot::predict
