// How good an order is: predicted scores of a group of variants against their measured times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "predict/metrics_result.h"

namespace pitot::predict {

// Measured time with its interval, same unit; and the predicted score: lower is faster.
struct ScoredVariant {
  double time = 0, lo = 0, hi = 0;
  double score = 0;
};

// Whether the measurement tells the two apart: their intervals have no point in common, and the
// times differ by more than `least` of the shorter (two loadings of one kernel can differ by more
// than an interval of one loading says).
bool told_apart(const ScoredVariant& a, const ScoredVariant& b, double least);

// Over the pairs told apart: the share that the scores order as the times; equal scores count half.
// NaN without such pairs.
struct PairCount {
  double right = 0;
  uint64_t pairs = 0;
};
PairCount count_pairs(std::span<const ScoredVariant> group, double least);

// Rank correlations with ties: Spearman as Pearson's of mean ranks, Kendall's tau-b. NaN for fewer
// than two variants or no spread.
double spearman(std::span<const ScoredVariant> group);
double kendall(std::span<const ScoredVariant> group);

// Fastest of the `k` best scores against the fastest of all: 0 is the best itself, 0.1 is 10 %
// slower. Equal scores are taken as badly as they can be.
double top_slowdown(std::span<const ScoredVariant> group, size_t k);
// Whether the fastest, or one that is not told apart from it, is among the `k` best scores.
bool top_has_best(std::span<const ScoredVariant> group, size_t k, double least);

// Spearman's rank correlation of score and time over all variants of all families together, with a
// 95 % percentile bootstrap interval: families are drawn, with all their variants. Scores of
// different families must have one unit.
MeanWithInterval pooled_spearman(const std::vector<std::vector<ScoredVariant>>& families,
                                 uint64_t seed, unsigned resamples = 400);

// All of them for one group.
GroupMetrics group_metrics(std::span<const ScoredVariant> group, double least);

// Means over families (each the mean over its groups) with 95 % percentile bootstrap intervals:
// families are drawn, then groups within each. Deterministic for a seed.
MetricsSummary summarise(std::vector<GroupMetrics> groups, uint64_t seed,
                         unsigned resamples = 2000);

// The same of the differences, group by group: of those that both have.
MetricsSummary paired_difference(const MetricsSummary& a, const MetricsSummary& b, uint64_t seed,
                                 unsigned resamples = 2000);

}  // namespace pitot::predict
