// What came of a training, in plain data: for reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/metrics_result.h"

namespace pitot::predict {

// One kind of split with one way of scoring.
struct TrainingLine {
  std::string split;  // "5-fold within family"
  std::string score;  // "pitot", "classic", "analytic", …
  uint64_t rows = 0;
  MetricsSummary metrics;
  // Of predicted and measured times, all rows together: Spearman's rank correlation.
  std::optional<MeanWithInterval> pooled;
  std::optional<MeanWithInterval> coverage;  // of the intervals
  double half_width = 0;                     // mean, of log time
  // By how much the figures are higher than without the extra columns, family by family.
  std::optional<MeanWithInterval> pairwise_gain, top5_gain;
};

struct TrainingResult {
  std::string recipe, target, data_hash;
  std::vector<std::string> files, families, held_out;  // held_out: not learned from
  uint64_t rows = 0, groups = 0, failed = 0;           // failed: rows that were not measured
  double least_difference = 0;                         // of a pair that counts
  double wanted_coverage = 0;
  uint64_t seed = 0;
  std::string xgboost;
  std::vector<TrainingLine> lines;
  // The second stage.
  double wanted_accuracy = 0;
  std::vector<RiskPoint> curve;
  std::optional<RiskPoint> at_threshold;
  // Shares of rows flagged as outside: of families learned from, and of families left out.
  std::optional<double> ood_seen, ood_unseen;
  std::vector<std::pair<std::string, double>> importance;  // of inputs, most first
  std::vector<std::string> notes;
  std::string model;  // path it was written to; empty: none
};

}  // namespace pitot::predict
