// Which predicted orders to believe: a classifier of pairs, learned from where the first model,
// asked about rows it had not seen, was right and where it was wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predict/boosting.h"
#include "predict/forest.h"
#include "predict/metrics.h"
#include "predict/outside.h"
#include "support/result.h"

namespace pitot::predict {

// What is known of one variant when its order with another is judged.
struct PairSide {
  double log_score = 0, log_analytic = 0, half_width = 0;
  Likeness likeness;
  std::span<const double> row;  // its features
};

// What the classifier sees of a pair; the same whichever side comes first.
std::vector<float> pair_inputs(const PairSide& a, const PairSide& b, double group_spread);
const std::vector<std::string>& pair_input_names();

struct SecondStage {
  Forest forest;         // log odds that the predicted order is right
  double threshold = 0;  // pairs below are uncertain; log odds
  double accuracy = 0;   // wanted of the pairs that are kept

  bool uncertain(const PairSide& a, const PairSide& b, double group_spread) const;
};

// A pair that the measurement tells apart, scored by a model that had not seen it.
struct JudgedPair {
  std::vector<float> inputs;
  bool right = false;
  double weight = 1;  // families weigh the same together
  unsigned fold = 0;  // of the model
};

struct SecondStageFit {
  SecondStage stage;
  // Found by classifiers that had not seen the pair's fold; falling coverage.
  std::vector<RiskPoint> curve;
  RiskPoint at_threshold;
};

// Settings of the classifier, and what is wanted of it.
struct SecondStageOptions {
  double accuracy = 0.99;
  uint64_t seed = 42;
  unsigned workers = 1;
};
Result<SecondStageFit> fit_second_stage(const XgboostApi& api, std::span<const JudgedPair> pairs,
                                        const SecondStageOptions& options);

// Pairs sorted by how sure one is of them (`sureness`, higher is surer): the curve at every 5 % of
// the weight from all down to 5 %.
std::vector<RiskPoint> risk_coverage(std::span<const JudgedPair> pairs,
                                     std::span<const double> sureness);

}  // namespace pitot::predict
