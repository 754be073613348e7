// Figures of scored rows: how well they are ordered, how well intervals cover, which pairs to
// judge.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/conformal.h"
#include "predict/fit.h"
#include "predict/metrics.h"
#include "predict/second_stage.h"

namespace pitot::predict {

// Every group's scored rows in one order, whichever split they were scored in.
MetricsSummary order_metrics(const Dataset& data, std::span<const ScoredRow> rows, double least,
                             uint64_t seed);

// How the predicted times of all rows together agree with the measured ones.
MeanWithInterval pooled_agreement(const Dataset& data, std::span<const ScoredRow> rows,
                                  uint64_t seed);

// Rows scored without any training: "analytic" (the default), "static", "instructions × threads",
// "waves", "emulated cycles".
std::vector<std::string> untrained_scores();
Result<std::vector<ScoredRow>> untrained_rows(const Dataset& data, std::span<const size_t> rows,
                                              std::string_view score);

std::vector<CalibrationRow> calibration_rows(const Dataset& data, std::span<const ScoredRow> rows,
                                             const std::string& target = "time");

// The share of rows whose measurement lies in their interval, each split's rows by a calibration on
// the others'; the mean over families and its interval.
struct CoverageResult {
  MeanWithInterval coverage;
  double mean_half_width = 0;  // of log time
};
// `unseen`: the splits leave families out, and their widths are those of unseen families.
CoverageResult cross_coverage(const Dataset& data, std::span<const ScoredRow> rows, double coverage,
                              bool unseen, uint64_t seed, const std::string& target = "time");

// Pairs of rows of one group and split that the measurement tells apart; at most `most` a group,
// drawn at random. Each family weighs 1.
std::vector<JudgedPair> judged_pairs(const Dataset& data, std::span<const ScoredRow> rows,
                                     const Calibration& calibration, double least, size_t most,
                                     uint64_t seed);

// The deviation of log times, for pair_inputs.
double spread_of(std::span<const double> log_times);

}  // namespace pitot::predict
